# Completes a page of swift-argument-parser's generator. The generator omits the environment and the exit statuses, leaves the
# examples in the description, joins the lines of lists, leaves empty lines between paragraphs, and refers to other pages only on
# the page of their command.
#   awk -v name=PAGE -v sections=FILE -f page.awk

# The examples and the keys are indented lines.
/^(Examples|Keys):$/ {
  isInList = 1
  isExample = /^Examples/
  if (!isExample) print "Keys:\n.Bd -literal -offset indent"
  next
}
isInList && /^  / {
  line = substr($0, 3)
  gsub(/\\/, "\\e", line)
  if (isExample) examples = examples line "\n"; else print line
  next
}
isInList {
  isInList = 0
  if (!isExample) print ".Ed"
  if (/^$/) next
}
/^\.Sh "EXIT STATUS"$/ {
  while ((getline line <sections) > 0) print line
  isReplaced = 1
  next
}
isReplaced && /^\.Ex/ {
  isReplaced = 0
  if (examples != "") printf ".Sh EXAMPLES\n.Bd -literal -offset indent\n%s.Ed\n", examples
  next
}
/^\.Sh "SEE ALSO"$/ {
  print ".Sh SEE ALSO"
  namesOthers = 1
  if (name != "syrinx") print ".Xr syrinx 1 ,"
  next
}
/^$/ { print ".Pp"; next }
{ print }
END {
  if (namesOthers) exit
  parent = name
  sub(/-[^-]*$/, "", parent)
  print ".Sh SEE ALSO"
  if (parent != "syrinx") print ".Xr syrinx 1 ,"
  print ".Xr " parent " 1"
}
