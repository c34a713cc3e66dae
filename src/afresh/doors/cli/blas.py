"""One thread for linear algebra, in commands that have none to speak of; imported before anything that loads numpy.

Starting a thread for every core takes as long as loading numpy does, and they spin for a while before they sleep.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
