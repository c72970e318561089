"""What all verbs share.

verb.py       Verb: what a module of a verb says about itself
verbs.py      which verbs there are, and which one is meant
parser.py     options; whatever is wrong with them is one sentence
values.py     what options take: sizes, counts, ports
mistakes.py   Mistake and Failure: one sentence and an exit code
compiling.py  says that kernels are compiled, which takes a while
main.py       runs one verb and turns every ending into an exit code
page.py       docs/commands.md, made of every verb's --help
"""
