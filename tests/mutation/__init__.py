"""`make mutants`: change the code in one place, many times, and see whether a test notices.

    sampled   changes of operators, constants, calls and returned values, made by mutator.py from the syntax tree,
              a seeded sample over the modules of tables.py
    safety    every call that keeps the crawl safe (sync, lock, close, cap, guard), left out one by one; by hand

Why not a package of PyPI's: mutmut 3 and cosmic-ray 8 take neither a seeded sample nor a set of tests per module, and a
run over all of ours would take a day.
"""
