// Authors of clients need both, and the expansions use the first.
@_exported public import ClientDependencies
