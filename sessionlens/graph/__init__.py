"""The session as a graph, its ledger of open operations, and the queries rules use."""
