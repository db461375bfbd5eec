// Tests of a client need the same declarations as the client's module.
@_exported public import ClientDependencies
