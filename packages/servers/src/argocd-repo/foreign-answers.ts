import { hash } from "node:crypto";
import { longText, ownTurn } from "@capstan/flow";
import { canonicalJson, jsonBudget } from "@capstan/formats";
import { CapstanError, parseGivenManifest } from "@capstan/model";
import type { RenderedManifest, RevisionRequest } from "@capstan/wire";
import { wantedOf } from "./write-request.ts";

const what = "the answer of Argo CD's repo server";
const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/i;
/** A version of a chart, the digest of an artifact. */
const printable = /^[\x21-\x7e]{1,256}$/;
const typeName = /^\w{0,64}$/;
/** Of an answer: a hundred times what a large chart has. */
const mostManifests = 50_000;
const mostValues = 2_500_000;
/** What a manifest costs beside its text, in characters. */
const ownCost = 256;

/**
 * Manifests of one commit are never taken as those of another: what is synced, shown and approved is told by the commit.
 * A name of a branch or a range of versions may stand for any.
 */
export function checkRevision(revision: string, request: RevisionRequest): string {
  const { source, repository, uploaded } = request;
  const wanted = wantedOf(request);
  // Of files that were sent it says "streamed".
  const isGit = source.chart === undefined && uploaded === undefined && !repository.url.startsWith("oci://");
  if (!(isGit ? commit : printable).test(revision))
    throw refused(`"${revision.slice(0, 80)}" is no ${isGit ? "commit" : "version"}`);
  if (isGit && commit.test(wanted) && revision.toLowerCase() !== wanted.toLowerCase())
    throw refused(`it is of commit ${revision}, where ${wanted} was asked for`);
  return revision;
}

export function checkSourceType(sourceType: string): string {
  if (!typeName.test(sourceType)) throw refused(`"${sourceType.slice(0, 80)}" is no type of a source`);
  return sourceType;
}

/** Each is as bounded as what somebody sends; all together are by how many they are and what they have. */
export async function readManifests(
  texts: readonly string[],
  signal: AbortSignal,
): Promise<RenderedManifest[]> {
  if (texts.length > mostManifests) throw refused(`it has more than ${mostManifests} manifests`);
  const read: RenderedManifest[] = [];
  let valuesLeft = mostValues;
  let untilTurn = longText;
  for (const [index, text] of texts.entries()) {
    untilTurn -= text.length + ownCost;
    if (untilTurn < 0) {
      await ownTurn(signal);
      untilTurn = longText;
    }
    const budget = jsonBudget();
    const before = budget.valuesLeft;
    const manifest = parseGivenManifest(text, { file: what, document: index + 1 }, budget);
    valuesLeft -= before - budget.valuesLeft;
    if (valuesLeft < 0) throw refused(`its manifests have more than ${mostValues} values together`);
    read.push({ manifest, digest: hash("sha256", canonicalJson(manifest)) });
  }
  return read;
}

function refused(problem: string): CapstanError {
  return new CapstanError({
    code: "FAILED_PRECONDITION",
    what,
    problem: `${problem}; nothing is taken of it`,
  });
}
