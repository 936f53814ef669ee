/** Projects of an attack's own, and tokens of their roles: what a program of a tenant has in hand. */
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import type { AttackWorld } from "./attack.ts";

const signal = () => AbortSignal.timeout(100_000);

interface Role {
  readonly name: string;
  readonly policies?: readonly string[];
  readonly groups?: readonly string[];
}

/** A project as whoever may write it past the API would: nothing of it is checked. */
export async function writeProject(
  { capstan, at }: AttackWorld,
  name: string,
  roles: readonly Role[],
): Promise<void> {
  const spec = { sourceRepos: [`${at.gitUrl}/${name}-*`], destinations: [], roles };
  const metadata = { name, namespace: "argocd" };
  const object = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec };
  await capstan.kube.create(object, { signal: signal() });
}

/** Whoever has a token of a role of that project. */
export async function roleToken(world: AttackWorld, project: string, role = "dev"): Promise<string> {
  return eventually(
    async () => {
      const path = `POST /api/v1/projects/${project}/roles/${role}/token`;
      const { body } = await world.ask("admin", path, { body: { expiresIn: 3600 } });
      return isRecord(body) && typeof body.token === "string" ? body.token : undefined;
    },
    { signal: signal(), describe: () => `role ${role} of ${project} gets no token` },
  );
}
