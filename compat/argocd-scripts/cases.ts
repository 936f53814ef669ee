import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "@capstan/formats";
import { type Manifest, parseManifests, parseYaml } from "@capstan/model";

/** What Argo CD's own cases say of objects: what goes in, which health comes out. */
export interface HealthCase {
  /** "argoproj.io/Rollout"; `_` stands for any. */
  kind: string;
  name: string;
  live: Manifest;
  status: string;
  message: string;
}

/**
 * Argo CD's resource_customizations, scripts with cases: of the folder that ARGOCD_CUSTOMIZATIONS names, else of the
 * version that `npm run testenv argocd` builds. Undefined: neither is there.
 */
export function scriptsFolder(): string | undefined {
  const named = process.env.ARGOCD_CUSTOMIZATIONS;
  if (named !== undefined) return named;
  const { stdout } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3"], {
    cwd: join(import.meta.dirname, "../../testenv/argocd"),
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off" },
  });
  const folder = stdout?.trim() ? join(stdout.trim(), "resource_customizations") : undefined;
  return folder && existsSync(folder) ? folder : undefined;
}

export function readHealthCases(folder: string): HealthCase[] {
  return globSync("*/*/health_test.yaml", { cwd: folder }).flatMap((file) => {
    const kind = dirname(file);
    const told = parseYaml(readFileSync(join(folder, file), "utf8"));
    const tests = isRecord(told) && Array.isArray(told.tests) ? told.tests.filter(isRecord) : [];
    // Go reads names of fields in any case, and one file makes use of it.
    return tests.map(({ inputPath, inputpath = inputPath, healthStatus }) => {
      const name = String(inputpath);
      const health = isRecord(healthStatus) ? healthStatus : {};
      return {
        kind,
        name: `${kind}/${name}`,
        live: readOne(join(folder, kind, name)),
        status: String(health.status ?? ""),
        message: String(health.message ?? ""),
      };
    });
  });
}

export function readOne(file: string): Manifest {
  const [manifest] = parseManifests(readFileSync(file, "utf8"), { file });
  if (manifest === undefined) throw new Error(`${file} is empty`);
  return manifest;
}
