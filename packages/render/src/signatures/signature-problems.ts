import type { CommitSignature } from "./commit-signature.ts";

const maxProblems = 10;

/** Why signatures do not satisfy a demand, in Argo CD's words, the first ten (util/sourceintegrity describeProblems). */
export function signatureProblems(signatures: readonly CommitSignature[], keys: readonly string[]): string[] {
  const problems: string[] = [];
  const told = new Set<string>();
  for (const one of signatures) {
    const problem = problemOf(one, keys);
    if (problem === undefined) continue;
    const isCommit = /^[0-9a-f]{40,64}$/.test(one.revision);
    if (isCommit && one.keyId !== "" && told.has(one.keyId)) continue;
    if (isCommit) told.add(one.keyId);
    problems.push(problem);
    if (problems.length === maxProblems) break;
  }
  return problems;
}

export function isAllowed(signature: CommitSignature, keys: readonly string[]): boolean {
  return problemOf(signature, keys) === undefined;
}

function problemOf(
  { revision, verdict, keyId, fingerprints, author }: CommitSignature,
  keys: readonly string[],
): string | undefined {
  const failed = `Failed verifying revision ${revision} by '${author}'`;
  if (verdict !== "signed") return `${failed}: ${verdict} (key_id=${keyId})`;
  // A key that belongs to an allowed one is allowed: its owner has said so.
  const isMeant = (key: string) =>
    key.length === 40 ? fingerprints.includes(key) : fingerprints.some((one) => one.endsWith(key));
  const allowed = keys.filter((key) => /^(?:[0-9A-F]{16}|[0-9A-F]{40})$/i.test(key));
  if (allowed.some((key) => isMeant(key.toUpperCase()))) return undefined;
  return `${failed}: signed with unallowed key (key_id=${keyId})`;
}
