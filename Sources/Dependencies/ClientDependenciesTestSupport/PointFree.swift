#if PointFreeDependencies
@_exported public import DependenciesTestSupport
#endif
