import { createHash } from "node:crypto";
import { BoundedMap, type Clock, SharedCalls } from "@capstan/flow";
import { withoutUserinfo } from "@capstan/model";
import type { MetadataRequest, RevisionMetadata, SignatureRequest } from "@capstan/wire";
import type { GitSources, SignedTag } from "../fetch/git-sources.ts";
import { type CommitSignature, lineFormat, readCommitLines, readTagStatus } from "./commit-signature.ts";
import type { Keyrings } from "./keyrings.ts";
import { isAllowed, signatureProblems } from "./signature-problems.ts";

interface Parts {
  git: Pick<GitSources, "signedTag" | "askCopy">;
  keyrings: Keyrings;
  clock: Clock;
}

/** Keys end: what was good an hour ago may be no more. */
const keptMs = 3_600_000;
/** A commit whose message has it, signed by an allowed key, vouches for all before it (util/git getSealRevListFilter). */
const seal = "Argocd-gpg-seal:";

interface Known {
  readonly problems: readonly string[];
  /** Of the first signature: that of the tag, else of the commit. */
  readonly keyId: string;
}

/** Whether commits are signed as a project demands, by git and gpg. */
export class SignatureChecks {
  readonly #parts: Parts;
  readonly #known = new BoundedMap<Known>(10_000);
  readonly #checking = new SharedCalls<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What is wrong with the signatures of a commit; nothing where the demand is satisfied. */
  async problems(request: SignatureRequest, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.#check(request, signal)).problems;
  }

  /**
   * With what people read beside a commit, where that is asked for (util/sourceintegrity describeProblems). Whose key it
   * is the keyring says: the author is what the commit says of itself.
   */
  async describe(
    metadata: RevisionMetadata,
    { signatures, ...request }: MetadataRequest & { revision: string },
    signal: AbortSignal,
  ): Promise<RevisionMetadata> {
    if (!signatures) return metadata;
    const { problems, keyId } = await this.#check({ ...request, ...signatures }, signal);
    return { ...metadata, signatureInfo: problems[0] ?? `Good signature with key ${keyId}` };
  }

  async #check(request: SignatureRequest, signal: AbortSignal): Promise<Known> {
    const tag = await this.#parts.git.signedTag(request, signal);
    const key = this.#keyOf(request, tag);
    const known = this.#known.get(key);
    if (known) return known;
    await this.#checking.join(
      key,
      async (inner) => {
        const signatures = await this.#signaturesOf(request, tag, inner);
        const problems = signatureProblems(signatures, request.demand.keys);
        this.#known.set(key, { problems, keyId: signatures[0]?.keyId ?? "" });
      },
      signal,
    );
    return this.#known.get(key) ?? { problems: ["nobody has verified it"], keyId: "" };
  }

  #keyOf({ repository, revision, demand, keyring }: SignatureRequest, tag: SignedTag | undefined): string {
    const hour = Math.floor(this.#parts.clock.now() / keptMs);
    const facts = [repository.url, revision, tag?.id, tag?.name, demand, keyring, hour];
    return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  }

  async #signaturesOf(
    request: SignatureRequest,
    tag: SignedTag | undefined,
    signal: AbortSignal,
  ): Promise<CommitSignature[]> {
    const home = await this.#parts.keyrings.open(request.keyring, signal);
    const ask = (args: readonly string[]) => this.#ask(request, { args, home }, signal);
    const isStrict = request.demand.mode === "strict";
    const ofTag = tag ? [await this.#tagSignature(tag, ask)] : [];
    if (tag && !isStrict) return ofTag;
    const range = isStrict ? await sealedRange(request, ask) : ["--max-count=1", request.revision];
    const listed = await ask(["rev-list", "--no-commit-header", `--format=${lineFormat}`, ...range]);
    const commits = readCommitLines(listed.stdout);
    if (!commits.some(({ revision }) => revision === request.revision))
      throw new Error(
        `git lists no commit ${request.revision} of ${withoutUserinfo(request.repository.url)}`,
      );
    return [...ofTag, ...commits];
  }

  async #tagSignature(tag: SignedTag, ask: Ask): Promise<CommitSignature> {
    const { stderr } = await ask(["verify-tag", "--raw", tag.id]);
    const signature = readTagStatus(stderr, tag);
    // A signature says nothing of the ref that the remote shows the tag under.
    const isSigned = signature.verdict === "signed" && tag.ownName !== tag.name;
    return isSigned ? { ...signature, verdict: "bad signature" } : signature;
  }

  #ask(
    { repository, revision, demand }: SignatureRequest,
    { args, home }: { args: readonly string[]; home: string },
    signal: AbortSignal,
  ) {
    const settings: [string, string][] = [
      ["gpg.program", "gpg"],
      ["gpg.openpgp.program", "gpg"],
      ["gpg.minTrustLevel", "undefined"],
      // Other kinds of signatures are none here.
      ["gpg.ssh.program", "false"],
      ["gpg.x509.program", "false"],
    ];
    const env = { GNUPGHOME: home, GIT_NO_REPLACE_OBJECTS: "1", LC_ALL: "C" };
    const access = { env, settings };
    const isWhole = demand.mode === "strict";
    return this.#parts.git.askCopy({ repository, revision, args, access, isWhole }, signal);
  }
}

type Ask = (args: readonly string[]) => Promise<{ stdout: string; stderr: string }>;

/** All commits back to the last ones that seal what was before, these included. */
async function sealedRange({ revision, demand }: SignatureRequest, ask: Ask): Promise<string[]> {
  const search = ["--regexp-ignore-case", "--fixed-strings", `--grep=${seal}`];
  const found = await ask(["rev-list", "--no-commit-header", `--format=${lineFormat}`, ...search, revision]);
  const seals = readCommitLines(found.stdout)
    .filter((one) => isAllowed(one, demand.keys))
    .map((one) => one.revision);
  if (seals.includes(revision)) return ["--max-count=1", revision];
  return seals.length === 0 ? [revision] : ["--boundary", revision, "--not", ...seals];
}
