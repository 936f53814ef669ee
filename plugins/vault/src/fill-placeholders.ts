import { CapstanError } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";
import type { Settings } from "@capstan/secret-services/settings";
import type { BackendNeeds } from "./backends/backend.ts";
import { openBackend } from "./open-backend.ts";
import { readPathRule } from "./path-rule.ts";
import { requirePermitted } from "./permitted-path.ts";
import { type ReplaceOptions, replacePlaceholders } from "./replace-placeholders.ts";
import { SecretReader } from "./secret-reader.ts";

/** Problems that a message shows. */
const maxProblems = 20;

export interface FillNeeds extends BackendNeeds {
  signal: AbortSignal;
}

/** Every placeholder's value in its place; rejects with all that have none, by document, key and path. */
export async function fillPlaceholders(
  manifests: readonly GeneratedManifest[],
  settings: Settings,
  needs: FillNeeds,
): Promise<GeneratedManifest[]> {
  const options = await replaceOptions(settings, needs);
  const replaced = await Promise.all(
    manifests.map(async (one) => ({ one, ...(await replacePlaceholders(one.manifest, options)) })),
  );
  const problems = replaced.flatMap(({ one, problems: own }) =>
    own.map((problem) => `${nameOf(one)}: ${problem}`),
  );
  needs.signal.throwIfAborted();
  if (problems.length > 0) throw failed(problems);
  return replaced.map(({ one, manifest }) => ({ ...one, manifest }));
}

async function replaceOptions(settings: Settings, needs: FillNeeds): Promise<ReplaceOptions> {
  try {
    const allowedPaths = settings.both("AVP_PATH_VALIDATION").map(readPathRule);
    let reader: Promise<SecretReader> | undefined;
    const open = async () => new SecretReader(await openBackend(settings, needs), needs.signal);
    return {
      isCompatible: settings.get("AVP_COMPATIBLE") === "true",
      allowedPaths,
      resolve: async (query) => {
        requirePermitted(needs.secretStores, settings, query);
        // Nobody logs in for manifests without a placeholder.
        reader ??= open();
        return (await reader).read(query);
      },
    };
  } catch (error) {
    throw failed([error instanceof Error ? error.message : String(error)]);
  }
}

function nameOf({ manifest: { kind, metadata }, origin }: GeneratedManifest): string {
  const place = origin ? ` (${origin.file}${origin.document ? `, document ${origin.document}` : ""})` : "";
  return `${kind} ${metadata.name ?? ""}${place}`;
}

function failed(problems: readonly string[]): CapstanError {
  const shown = [...new Set(problems)];
  const more = shown.length > maxProblems ? [`and ${shown.length - maxProblems} more`] : [];
  const problem = [...shown.slice(0, maxProblems), ...more].join("; ");
  return new CapstanError({ code: "PLUGIN_FAILED", plugin: "vault", problem });
}
