"""From logs to data sets: :func:`sessionlens.curate.extract.extract` is the pure function (source → rows), the rest
decides what is kept and writes it.
"""
