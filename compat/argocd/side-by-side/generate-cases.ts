import { type Arbitrary, array, boolean, constantFrom, integer, option, record, sample } from "fast-check";
import { both, type Case, deployment, hook, job, map, options, type Step, service, wave } from "./case.ts";

/** Objects, hooks, waves and options at random, then commits, syncs and drift; the same again for a seed. */
export function generateCases({ count, seed }: { count: number; seed: number }): Case[] {
  return sample(sketches, { numRuns: count, seed }).map((sketch, index) => caseOf(sketch, index));
}

interface Piece {
  readonly kind: "map" | "service" | "deployment" | "hook-job" | "hook-map";
  readonly name: string;
  readonly wave: number;
  readonly phase: string;
  readonly policy: string | null;
  readonly option: string | null;
  readonly value: string;
}

interface Sketch {
  readonly pieces: readonly Piece[];
  readonly later: readonly Piece[];
  readonly syncs: readonly { prune: boolean; option: string | null; only: boolean }[];
  /** Without self-heal, which the real one does now and then of what it has only just applied. */
  readonly automated: { prune: boolean } | null;
  readonly drifts: boolean;
}

const names = ["a", "b", "c", "d"] as const;
const piece: Arbitrary<Piece> = record({
  kind: constantFrom("map", "map", "service", "deployment", "hook-job", "hook-map"),
  name: constantFrom(...names),
  wave: constantFrom(0, 0, 0, -1, 1, 2),
  phase: constantFrom("PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreSync,PostSync"),
  policy: option(constantFrom("HookSucceeded", "HookFailed", "BeforeHookCreation")),
  option: option(constantFrom("Prune=false", "PruneLast=true", "Validate=false", "Delete=false"), {
    freq: 4,
  }),
  value: constantFrom("1", "2"),
});

const sketches: Arbitrary<Sketch> = record({
  pieces: array(piece, { minLength: 1, maxLength: 5 }),
  later: array(piece, { minLength: 0, maxLength: 4 }),
  syncs: array(
    record({
      prune: boolean(),
      option: option(constantFrom("ApplyOutOfSyncOnly=true", "PruneLast=true", "CreateNamespace=true")),
      only: integer({ min: 0, max: 4 }).map((number) => number === 0),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  automated: option(
    boolean().map((prune) => ({ prune })),
    { freq: 3 },
  ),
  drifts: boolean(),
});

function caseOf({ pieces, later, syncs, automated, drifts }: Sketch, index: number): Case {
  const name = `made-${index}`;
  const first: Step[] = automated ? [] : syncs.map(syncOf);
  const drift: Step = {
    patch: { apiVersion: "v1", kind: "ConfigMap", name: "map-a" },
    body: { data: { key: "drifted" } },
  };
  const hasMap = pieces.some((one) => one.kind === "map" && one.name === "a");
  const steps: Step[] = [
    ...first,
    { commit: { "app/all.yaml": objectsOf(later) } },
    ...(automated ? [] : [syncOf(syncs[0] ?? { prune: true, option: null, only: false })]),
  ];
  // What drifts must be there: nobody prunes it before.
  if (drifts && hasMap && !automated) steps.splice(first.length, 0, drift);
  return {
    name,
    files: { "app/all.yaml": objectsOf(pieces) },
    steps,
    ...(automated ? { spec: { syncPolicy: { automated } } } : {}),
  };
}

function syncOf({ prune, option: chosen, only }: Sketch["syncs"][number]): Step {
  return {
    sync: {
      ...(prune ? { prune } : {}),
      ...(chosen ? { syncOptions: [chosen] } : {}),
      ...(only ? { resources: [{ kind: "ConfigMap", name: "map-a" }] } : {}),
    },
  };
}

/** One of each name: what is there twice has a case of its own. */
function objectsOf(pieces: readonly Piece[]): object[] {
  return [...new Map(pieces.map((one) => [`${one.kind}-${one.name}`, one])).values()].map(objectOf);
}

function objectOf({ kind, name, wave: number, phase, policy, option: chosen, value }: Piece): object {
  const marks = both(number === 0 ? {} : wave(number), chosen ? options(chosen) : {});
  const asHook = both(number === 0 ? {} : wave(number), hook(phase, policy ?? undefined));
  switch (kind) {
    case "map":
      return map(`map-${name}`, marks, { key: value });
    case "service":
      return service(`service-${name}`, marks);
    case "deployment":
      return deployment(`deployment-${name}`, marks, { replicas: Number(value) - 1 });
    case "hook-job":
      return job(`job-${name}`, asHook);
    case "hook-map":
      return map(`hooked-${name}`, asHook, { key: value });
  }
}
