// Tests of a client need what the client's own module needs.
@_exported public import ClientDependencies
