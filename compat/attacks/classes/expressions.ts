/** jq expressions of ignoreDifferences, which whoever writes an Application gives. */
import type { Attack } from "../attack.ts";
import { beside } from "../beside.ts";
import { fineConfigMap } from "../config-maps.ts";

const costlyExpressions: Readonly<Record<string, readonly string[]>> = {
  endless: ["last(repeat(.))"],
  deep: ["def f: f | f; f"],
  places: ["range(1e12) as $i | .data"],
  values: ["[limit(1e12; repeat(1))]"],
  text: ['"x" * 1e9'],
  names: ["getpath([range(1e6) | tostring])"],
};

const tenThousandPointers = {
  kind: "ConfigMap",
  jsonPointers: Array.from({ length: 10_000 }, (_, index) => `/data/${index}~1x`),
};

/** One that does not end, one that makes a huge value; a condition says it, and pointers are followed once for each. */
const costly: Attack = {
  id: "expressions/jq-that-costs",
  threat:
    "ignoreDifferences has a jq expression that never ends or fills the memory, and ten thousand pointers",
  advisories: ["CVE-2024-32476"],
  heldBy:
    "jq runs in a thread that is ended after a second, each expression with a jq and a memory of its own; what was ended is left alone for a growing while, which a condition says; a pointer is followed once for each object",
  play: async (world) => {
    const play = Object.entries(costlyExpressions).map(([name, jqPathExpressions]) =>
      beside(`jq-${name}`, {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        application: () => ({
          spec: { ignoreDifferences: [{ kind: "ConfigMap", jqPathExpressions }, tenThousandPointers] },
        }),
        ends: { refused: /jqPathExpressions\[0\].* cannot be evaluated: .*(more than|more memory)/ },
      })(world),
    );
    await Promise.all(play);
  },
};

/** What an expression says of an object is no message. */
const telling: Attack = {
  id: "expressions/jq-that-tells",
  slow: true,
  threat: "a jq expression of ignoreDifferences fails with what is in a Secret, or asks for the environment",
  heldBy:
    "what jq says of an object goes nowhere; it has no environment, no files and no other object than the one compared",
  play: beside("jq-tells", {
    files: () => ({ "app/a.yaml": fineConfigMap }),
    application: () => ({
      spec: {
        ignoreDifferences: [
          {
            kind: "*",
            group: "*",
            jqPathExpressions: [
              "error(tojson + (env | tojson) + ($ENV | tojson))",
              'getpath(["data", (.. | strings)])',
              "halt_error",
              "[inputs] | error",
            ],
          },
        ],
      },
    }),
    ends: { either: true },
  }),
};

export const attacks: readonly Attack[] = [costly, telling];
