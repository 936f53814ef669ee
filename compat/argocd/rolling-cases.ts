/** Rollouts that the real controller of sets and Capstan's are given alike. */

/** What becomes of an Application's sync. */
export type Outcome = "healthy" | "progressing" | "degraded" | "failed" | "running";

export type Act =
  /** A commit: every Application is OutOfSync at another revision. */
  | { readonly do: "push"; readonly revision: string }
  /** What got stuck becomes healthy by itself; a sync that was under way ends as it began. */
  | { readonly do: "heal" }
  /** A person syncs an Application of this group. */
  | { readonly do: "sync"; readonly group: string }
  | { readonly do: "grow"; readonly groups: Readonly<Record<string, number>> }
  | { readonly do: "delete" };

interface Step {
  /** Groups of Applications that it selects. */
  readonly groups: readonly string[];
  readonly operator?: string;
  readonly maxUpdate?: number | string;
}

export interface RollingCase {
  /** How many Applications have which label. */
  readonly groups: Readonly<Record<string, number>>;
  readonly steps: readonly Step[];
  readonly deletionOrder?: string;
  /** The set holds the finalizer from the first: without it the real one lets it go at once. */
  readonly isHeld?: true;
  /** In the order in which Applications of a group are synced; what is not said becomes healthy. */
  readonly outcomes?: Readonly<Record<string, readonly Outcome[]>>;
  readonly syncPolicy?: object;
  readonly applicationsSync?: string;
  /** They are as git says already when the set meets them first. */
  readonly isSynced?: true;
  /** Each when nothing goes on any more. */
  readonly acts?: readonly Act[];
}

const two = [{ groups: ["a"] }, { groups: ["b"] }] as const;

export const rollingCases: Readonly<Record<string, RollingCase>> = {
  numbers: {
    groups: { a: 2, b: 3 },
    steps: [
      { groups: ["a"], maxUpdate: 1 },
      { groups: ["b"], maxUpdate: 2 },
    ],
  },
  percentages: {
    groups: { a: 2, b: 4 },
    steps: [
      { groups: ["a"], maxUpdate: "10%" },
      { groups: ["b"], maxUpdate: "50%" },
    ],
  },
  "stuck-progressing": {
    groups: { a: 2, b: 2 },
    steps: two,
    outcomes: { a: ["healthy", "progressing"] },
    acts: [{ do: "heal" }],
  },
  "stuck-degraded": {
    groups: { a: 2, b: 1 },
    steps: [{ groups: ["a"], maxUpdate: 1 }, { groups: ["b"] }],
    outcomes: { a: ["degraded"] },
    acts: [{ do: "push", revision: "r2" }],
  },
  "stuck-failed": { groups: { a: 1, b: 1 }, steps: two, outcomes: { a: ["failed"] }, acts: [{ do: "heal" }] },
  "stuck-running": {
    groups: { a: 2, b: 1 },
    steps: [{ groups: ["a"], maxUpdate: "50%" }, { groups: ["b"] }],
    outcomes: { a: ["running"] },
    acts: [{ do: "heal" }],
  },
  nothing: { groups: { a: 2, b: 1 }, steps: [{ groups: ["a"], maxUpdate: 0 }, { groups: ["b"] }] },
  "no-percent": { groups: { a: 2, b: 1 }, steps: [{ groups: ["a"] }, { groups: ["b"], maxUpdate: "0%" }] },
  "odd-share": { groups: { a: 2 }, steps: [{ groups: ["a"], maxUpdate: "few" }] },
  "all-but": {
    groups: { a: 1, b: 1, c: 2 },
    steps: [{ groups: ["a"] }, { groups: ["a"], operator: "NotIn", maxUpdate: 2 }],
  },
  "selected-twice": {
    groups: { a: 1, b: 1 },
    steps: [{ groups: ["a", "b"] }, { groups: ["b"] }],
  },
  "no-step-selects": { groups: { a: 1, b: 1 }, steps: [{ groups: ["a"] }] },
  "empty-step": { groups: { a: 1 }, steps: [{ groups: ["a"] }, { groups: ["z"] }] },
  "odd-operator": { groups: { a: 1 }, steps: [{ groups: ["a"], operator: "Exists" }] },
  "synced-already": {
    groups: { a: 1, b: 1 },
    steps: two,
    isSynced: true,
    acts: [{ do: "push", revision: "r2" }],
  },
  "by-hand": {
    groups: { a: 1, b: 1 },
    steps: two,
    outcomes: { a: ["progressing"] },
    acts: [{ do: "sync", group: "b" }, { do: "heal" }],
  },
  grows: { groups: { a: 1, b: 1 }, steps: two, acts: [{ do: "grow", groups: { a: 2, b: 2 } }] },
  policies: {
    groups: { a: 1 },
    steps: [{ groups: ["a"] }],
    syncPolicy: {
      automated: { prune: true, selfHeal: true },
      retry: { limit: 2, backoff: { duration: "1s" } },
      syncOptions: ["CreateNamespace=true"],
    },
  },
  "create-only": { groups: { a: 1 }, steps: [{ groups: ["a"] }], applicationsSync: "create-only" },
  reverse: {
    groups: { a: 1, b: 2, c: 1 },
    steps: [{ groups: ["a"] }, { groups: ["b"] }, { groups: ["c"] }],
    deletionOrder: "Reverse",
    acts: [{ do: "delete" }],
  },
  "reverse-held": {
    groups: { a: 1, b: 2, c: 1 },
    steps: [{ groups: ["a"] }, { groups: ["b"] }, { groups: ["c"] }],
    deletionOrder: "Reverse",
    isHeld: true,
    acts: [{ do: "delete" }],
  },
  "reverse-of-some": {
    groups: { a: 1, b: 1, z: 1 },
    steps: two,
    deletionOrder: "reverse",
    isHeld: true,
    acts: [{ do: "delete" }],
  },
  "all-at-once": {
    groups: { a: 1, b: 1 },
    steps: two,
    deletionOrder: "AllAtOnce",
    acts: [{ do: "delete" }],
  },
};

/** Commits while a step is under way. */
export const pushedCases: Readonly<Record<string, RollingCase>> = {
  "pushed-while-syncing": {
    groups: { a: 3, b: 1 },
    steps: [{ groups: ["a"], maxUpdate: 1 }, { groups: ["b"] }],
    outcomes: { a: ["running"] },
    acts: [{ do: "push", revision: "r2" }, { do: "heal" }],
  },
  "pushed-in-the-second-step": {
    groups: { a: 1, b: 3 },
    steps: [{ groups: ["a"] }, { groups: ["b"], maxUpdate: "34%" }],
    outcomes: { b: ["running"] },
    acts: [{ do: "push", revision: "r2" }, { do: "heal" }],
  },
};
