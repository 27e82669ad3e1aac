"""Rules written as a table instead of a program: ``*.rule.toml`` files, in the vocabulary of the queries.

:mod:`~sessionlens.declared.lines` finds the line of each key, :mod:`~sessionlens.declared.expressions` reads
what a rule asks, :mod:`~sessionlens.declared.rules` makes a rule class of a file. docs/declarative-rules.md is
the page for authors.
"""
