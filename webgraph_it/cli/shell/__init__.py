"""What all verbs share.

verb.py       Verb: the record that describes a verb
verbs.py      the list of verbs, and which one a command line means
parser.py     options; any mistake is one sentence
values.py     types of options: sizes, counts, ports
mistakes.py   Mistake and Failure: one sentence and an exit code
compiling.py  reports that kernels are being compiled, which takes a while
main.py       runs one verb and turns every outcome into an exit code
page.py       generates docs/commands.md from every verb's --help
"""
