import type { ExplainedRender } from "@capstan/wire";
import type { Entry } from "./world.ts";

/** A pipeline of two stages: a chart, then labels on all that it gives. */
export function stagesOf({ managed, recipe }: Entry): ExplainedRender {
  const made = managed.flatMap(({ targetState }) =>
    targetState && targetState !== "null" ? [targetState] : [],
  );
  const labelled = made.map((text) => {
    const manifest = JSON.parse(text);
    const labels = { ...manifest.metadata.labels, team: "shop" };
    return JSON.stringify({ ...manifest, metadata: { ...manifest.metadata, labels } });
  });
  const common = { files: [], commands: [], announced: [], parameters: [], env: [], sensitive: false };
  return {
    revision: "0123456789abcdef0123456789abcdef01234567",
    sourceType: "Plugin",
    plugin: recipe.name,
    timings: { queueMs: 1, fetchMs: 12, chooseMs: 3, transferMs: 4, stages: [] },
    stages: [
      {
        ...common,
        name: "helm",
        plugin: "helm",
        shapes: ["generate"],
        cache: "hit",
        ms: 148,
        manifests: made,
        commands: ["helm template . --name-template web"],
      },
      {
        ...common,
        name: "labels",
        plugin: "label",
        shapes: ["transform"],
        cache: "miss",
        ms: 21,
        manifests: labelled,
        announced: [
          { name: "team", tooltip: "Owner of the objects", required: true },
          { name: "tier", string: "web" },
        ],
        parameters: [{ name: "team", string: "shop" }],
      },
    ],
  };
}
