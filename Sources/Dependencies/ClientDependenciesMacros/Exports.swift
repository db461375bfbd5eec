// Code with these macros needs both modules, because the expansions use `ClientDependencies`.
@_exported public import ClientDependencies
