"""Links of documents: what each means where it stands, and whether files of the same project have what it names."""
