import { parseConstraint, parseVersion } from "@capstan/formats";
import { define, type GoFunctions } from "../execute/functions.ts";
import { GoVersion } from "../values/value.ts";

/** sprig's versions (Masterminds/semver v3). */
export const versionFunctions: GoFunctions = {
  semver: define(["string"], ([text]) => readVersion(text)),
  semverCompare: define(["string", "string"], ([range, text]) => {
    const constraint = parseConstraint(range);
    if (!constraint) throw new Error(`improper constraint: ${range}`);
    const version = parseVersion(text);
    if (!version) throw new Error("invalid semantic version");
    return constraint.allows(version);
  }),
};

function readVersion(text: string): GoVersion {
  const version = parseVersion(text);
  if (!version) throw new Error("invalid semantic version");
  const { major, minor, patch, prerelease } = version;
  const metadata = /\+(.*)$/.exec(text)?.[1] ?? "";
  return new GoVersion({ major, minor, patch, prerelease: prerelease.join("."), metadata, original: text });
}
