import type { Answered } from "./ask-ours.ts";
import type { Batch, Question } from "./generate.ts";

/** One question about which Capstan and Argo CD 3.2.11 disagree. */
export interface Disagreement {
  readonly batch: Batch;
  readonly question: Question;
  /** Argo CD says the contrary. */
  readonly isAllowed: boolean;
  readonly policy: Answered["policy"];
}

export interface LedgerEntry {
  readonly reason: string;
  readonly about: (one: Disagreement) => boolean;
}

const isOwnName = (name: string) => name.startsWith("role:") || name.startsWith("proj:") || name === "admin";
const hasNote = ({ policy }: Disagreement, says: RegExp) =>
  policy.problems.some(({ message }) => says.test(message));

/** Where they may disagree, and why. */
export const ledger: readonly LedgerEntry[] = [
  {
    reason: "role:admin may roll back: in Argo CD from 3.6 on, with server.rbac.rollback.enforce.enable",
    about: ({ question, isAllowed, batch }) =>
      isAllowed && question.resource === "applications" && question.action === "rollback" && !batch.noBuiltin,
  },
  {
    reason:
      "an expression that is none fails each check that comes to it in Argo CD, those of built-in roles in regex mode too; here its line alone gives nothing",
    about: (one) =>
      one.isAllowed &&
      one.batch.matchMode === "regex" &&
      (!one.batch.noBuiltin || hasNote(one, /matches nothing/) || one.batch.isOdd),
  },
  {
    reason: "a line that denies holds though its pattern is none",
    about: (one) => !one.isAllowed && hasNote(one, /since the line denies/),
  },
  {
    reason: "an effect that is neither allow nor deny is taken as deny; Argo CD passes over the line",
    about: (one) => !one.isAllowed && hasNote(one, /taken as deny/),
  },
  {
    reason: "a group of an identity provider that is called as a role or as the account admin is neither",
    about: ({ question, isAllowed }) => !isAllowed && question.groups.some(isOwnName),
  },
  {
    reason:
      "gobwas/glob does not find some texts that a pattern with stars in braces, or beside braces or é, plainly names; here they match",
    about: ({ batch }) => batch.isOdd && batch.matchMode === "glob" && /[{é]/.test(batch.csv),
  },
  {
    reason:
      "a project with a line that cannot be read keeps its others, and what denies holds; in Argo CD none of its roles is there",
    about: ({ question, batch }) => batch.isOdd && batch.projects.length > 0 && question.claims,
  },
];
