"""Which rule feeds go by unless somebody says otherwise, and why.

``priced`` (``feeds/rules/priced.py``) plans the next visits of a feed so that what they cost and what its entries wait
cost least together. It is the default because on recorded feeds that it had not seen entries waited for it a fraction
of what they waited for the best published rule, at no more requests, and none of the other rules here was as good by
the measure that weighs both; docs/theory/priced.md has the figures and the commands that make them again. Another one:
``predict.rule`` for all feeds, ``afresh set --rule`` for one.
"""

DEFAULT_RULE = "priced"
