import { printable } from "@capstan/formats";

/** What gpg says of the signature of one commit or tag. */
export interface CommitSignature {
  /** A commit's id, or a tag's name. */
  readonly revision: string;
  readonly verdict: Verdict;
  /** 16 digits of the key that signed, "" where nothing is signed. */
  readonly keyId: string;
  /** Of that key and of the one that it belongs to, 40 digits each; none where the key is not known. */
  readonly fingerprints: readonly string[];
  /** As the commit or tag itself says: nobody has proven it. */
  readonly author: string;
}

/** In Argo CD's words (util/git GPGVerificationResult). */
export type Verdict =
  | "signed"
  | "bad signature"
  | "expired signature"
  | "signed with expired key"
  | "signed with revoked key"
  | "signed with key not in keyring"
  | "unsigned";

/** Of `git rev-list`, by which `readCommitLines` reads: the author comes last, whose name may hold anything but NUL. */
export const lineFormat = "%H%x00%G?%x00%GK%x00%GF%x00%GP%x00%an <%ae>";

/** git-rev-list(1) %G?. U: its owner is not trusted, which is for whoever puts keys into the keyring to say. */
const byLetter: Readonly<Record<string, Verdict>> = {
  G: "signed",
  U: "signed",
  B: "bad signature",
  X: "expired signature",
  Y: "signed with expired key",
  R: "signed with revoked key",
  E: "signed with key not in keyring",
  N: "unsigned",
};

export function readCommitLines(output: string): CommitSignature[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [revision = "", letter = "", keyId = "", key = "", owner = "", ...author] = line.split("\0");
      const verdict = byLetter[letter];
      if (!/^[0-9a-f]{40,64}$/.test(revision) || !verdict || author.length === 0)
        throw new Error("git rev-list answers what is no commit with its signature");
      return signature({ revision, verdict, keyId, fingerprints: [key, owner], author: author.join(" ") });
    });
}

const words: Readonly<Record<string, Verdict>> = {
  GOODSIG: "signed",
  BADSIG: "bad signature",
  EXPSIG: "expired signature",
  EXPKEYSIG: "signed with expired key",
  REVKEYSIG: "signed with revoked key",
  ERRSIG: "signed with key not in keyring",
};

/**
 * What `git verify-tag --raw` prints: lines of gpg (doc/DETAILS), which escapes line ends of identities. One that says
 * two verdicts, or a good one without a valid signature, is bad, as in git's own reading (gpg-interface.c).
 */
export function readTagStatus(status: string, tag: { name: string; tagger: string }): CommitSignature {
  const lines = status.split("\n").map((line) => /^\[GNUPG:\] (\S+)(?: (.*))?$/.exec(line));
  const found = lines.flatMap((line) => {
    const verdict = words[line?.[1] ?? ""];
    return verdict ? [{ verdict, keyId: line?.[2]?.split(" ")[0] ?? "" }] : [];
  });
  const valid = lines.find((line) => line?.[1] === "VALIDSIG")?.[2]?.split(" ") ?? [];
  const of = { revision: tag.name, author: tag.tagger };
  const [first, ...more] = found;
  if (!first) return signature({ ...of, verdict: "unsigned", keyId: "", fingerprints: [] });
  const isDoubtful = more.length > 0 || (first.verdict === "signed" && valid.length === 0);
  const verdict = isDoubtful ? "bad signature" : first.verdict;
  return signature({ ...of, ...first, verdict, fingerprints: [valid[0] ?? "", valid[9] ?? ""] });
}

function signature(found: CommitSignature): CommitSignature {
  const fingerprints = found.fingerprints.filter((one) => /^[0-9A-F]{40}$/.test(one));
  const keyId = /^[0-9A-F]{16}$/.test(found.keyId) ? found.keyId : (fingerprints[0]?.slice(-16) ?? "");
  return { ...found, keyId, fingerprints, author: printable(found.author.slice(0, 200)) };
}
