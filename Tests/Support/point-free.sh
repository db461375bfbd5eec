#!/usr/bin/env bash
# Builds everything except the tests with the trait `PointFreeDependencies`, and runs what it built. Point-Free's
# package cannot be fetched where CI runs: a stand-in with its public declarations (Tests/Fixtures/PointFreeStandIn)
# replaces it, for this build alone. The user's settings and caches are unaffected.
#
# This proves that our sources compile against those declarations, that our implementation is excluded, and that the
# command works on the stand-in. It does not prove that the declarations are still those of Point-Free's package, that
# the package of any version resolves and builds with ours, that its test support and macros work with our clients, or
# that its behavior equals ours: the stand-in has only as much as the command needs. To check these, build with
# `--traits Development,PointFreeDependencies` where GitHub is reachable.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "point-free.sh: $*" >&2
  exit 1
}

here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The stand-in as a repository with a release, which git finds under the real address.
peer=$work/swift-dependencies
cp -r Tests/Fixtures/PointFreeStandIn "$peer"
rm -rf "$peer/.build"
git -C "$peer" init --quiet
git -C "$peer" add --all
git -C "$peer" -c user.name=syrinx -c user.email=syrinx@localhost -c commit.gpgsign=false \
  commit --quiet --message "Stand in for swift-dependencies"
git -C "$peer" tag 1.9.0
settings=${GIT_CONFIG_COUNT:-0}
export GIT_CONFIG_COUNT=$((settings + 1))
export "GIT_CONFIG_KEY_$settings=url.file://$peer.insteadOf"
export "GIT_CONFIG_VALUE_$settings=https://github.com/pointfreeco/swift-dependencies"

# The package without its tests and without the plug-ins of the macros, which would build SwiftSyntax for minutes; so
# also without the reducers' macros and the samples that use macros.
package=$work/package
mkdir "$package"
ln -s "$here/Sources" "$here/Samples" "$package"
cat Package.swift - >"$package/Package.swift" <<'END'

let written: Set = [
  "ReducersMacros", "SpeechToText", "TestTools", "VoiceMemos",
]
package.targets.removeAll { $0.type == .test || $0.type == .macro || written.contains($0.name) }
package.products.removeAll { written.contains($0.name) }
for target in package.targets {
  target.dependencies.removeAll { "\($0)".contains("MacrosPlugin") }
}
package.dependencies.removeAll { "\($0.kind)".contains("swift-syntax") }
END

build() {
  swift build --package-path "$package" --scratch-path "$work/build" --cache-path "$work/cache" \
    --security-path "$work/security" -debug-info-format none --disable-index-store \
    --traits Command,PointFreeDependencies,Reducers "$@"
}
build >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  fail "the package does not build with the trait"
}
if grep -E '/(Sources|Samples)/.*: warning:' "$work/log" >&2; then
  fail "the build with the trait has warnings"
fi

syrinx=$(build --show-bin-path)/syrinx
grep --quiet --text 12Dependencies16DependencyValuesV "$syrinx" ||
  fail "syrinx was built without the module that the trait asks for"
if grep --quiet --text 18ClientDependencies16DependencyValuesV "$syrinx"; then
  fail "our own implementation was compiled as well: see Tests/Project/Architecture/PointFreeFiles.swift"
fi

heard=$("$syrinx" transcribe --engine pocketsphinx Samples/sounds/go-forward.wav)
[ "$heard" = "go forward 10 meters" ] || fail "syrinx built with the trait transcribes: '$heard'"
echo "with the trait syrinx transcribes: $heard"
