"""``--sink``, for every command that has something to carry over."""

import click

sink_option = click.option(
    "--sink",
    "sinks",
    multiple=True,
    metavar="ADDRESS",
    help="Also write there: ndjson:FOLDER, parquet:FOLDER, nats://HOST:PORT/SUBJECT, warc:FOLDER; may be repeated.",
)
