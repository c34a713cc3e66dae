"""Query feeds: new feeds composed from old ones by filter and union.  [H12] §1.3, §1.4.2.

A query feed is f = q(S), the union over its sources of the entries that pass each source's filter. Pure: the model of
a query, the meaning of its conditions, the index that finds the queries an entry may belong to, the cycle check.
"""
