import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createObject } from "../objects/create-object.ts";
import type { World } from "../objects/world.ts";
import { rbacGroup } from "../security/rbac.ts";
import type { KubeObject } from "../types.ts";

/** See data/NOTICE of schema for the source. */
const file = join(import.meta.dirname, "../security/data/roles.json");

const plurals: Readonly<Record<string, string>> = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
};

/** The roles and bindings that kube-apiserver makes when it starts (plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */
export function createDefaultRoles(world: World): void {
  const roles: KubeObject[] = JSON.parse(readFileSync(file, "utf8"));
  const options = { dryRun: false, manager: "kube-apiserver", subresource: "" };
  for (const object of roles) {
    const type = `${rbacGroup}/${plurals[object.kind]}`;
    const served = world.registry.byType(type);
    const { namespace = "", name = "" } = object.metadata;
    if (served !== undefined && world.store.get(type, namespace, name) === undefined)
      createObject(world, { served, namespace, object }, options);
  }
}
