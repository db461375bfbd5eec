#if PointFreeDependencies
@_exported public import DependenciesMacros
#endif
