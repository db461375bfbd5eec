// Whoever writes or tests a client needs `reportIssue` and `withExpectedIssue` as well.
@_exported public import IssueReporting
