// Whoever writes a client needs both, and the expansions use the first.
@_exported public import ClientDependencies
