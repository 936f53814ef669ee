import type { Environment } from "@marcbachmann/cel-js";
import type { Rbac } from "../security/rbac.ts";
import type { User } from "../security/user.ts";

const prefix = "kubernetes.authorization";

interface Asked {
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  path: string;
}

const nothing: Asked = { group: "", resource: "", subresource: "", namespace: "", name: "", path: "" };

/** The value of `authorizer`: who would be asked. */
export class Authorizer {
  readonly rbac: Rbac;
  readonly user: User;

  constructor(rbac: Rbac, user: User) {
    this.rbac = rbac;
    this.user = user;
  }
}

class Check {
  readonly by: Authorizer;
  readonly asked: Asked;

  constructor(by: Authorizer, asked: Asked) {
    this.by = by;
    this.asked = asked;
  }

  with(more: Partial<Asked>): Check {
    return new Check(this.by, { ...this.asked, ...more });
  }

  decide(verb: string): Decision {
    const { allowed, reason } = this.by.rbac.authorize({ user: this.by.user, verb, ...this.asked });
    return new Decision(allowed, reason);
  }
}

class GroupCheck extends Check {}
class ResourceCheck extends Check {}
class PathCheck extends Check {}

class Decision {
  readonly isAllowed: boolean;
  readonly why: string;

  constructor(isAllowed: boolean, why: string) {
    this.isAllowed = isAllowed;
    this.why = why;
  }
}

function accountUser(namespace: string, name: string): User {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { username: `system:serviceaccount:${namespace}:${name}`, groups };
}

const [authorizer, group, resource, path, decision] = [
  "Authorizer",
  "GroupCheck",
  "ResourceCheck",
  "PathCheck",
  "Decision",
].map((name) => `${prefix}.${name}`);

export const authorizerType = `${prefix}.Authorizer`;

/** apiserver pkg/cel/library/authz.go */
export function declareAuthorizer(environment: Environment): void {
  const types = [
    [authorizer, Authorizer],
    [group, GroupCheck],
    [resource, ResourceCheck],
    [path, PathCheck],
    [decision, Decision],
  ] as const;
  for (const [name, ctor] of types) environment.registerType(`${name}`, { ctor, fields: {} });
  const declare = (signature: string, handler: (target: never, text: string) => unknown) =>
    environment.registerFunction(signature, handler);
  declare(
    `${authorizer}.path(string): ${path}`,
    (by: Authorizer, text) => new PathCheck(by, { ...nothing, path: text }),
  );
  declare(
    `${authorizer}.group(string): ${group}`,
    (by: Authorizer, text) => new GroupCheck(by, { ...nothing, group: text }),
  );
  environment.registerFunction(
    `${authorizer}.serviceAccount(string, string): ${authorizer}`,
    ({ rbac }: Authorizer, namespace: string, name: string) =>
      new Authorizer(rbac, accountUser(namespace, name)),
  );
  const asResource = (check: Check, more: Partial<Asked>) =>
    new ResourceCheck(check.by, check.with(more).asked);
  declare(`${group}.resource(string): ${resource}`, (check: Check, text) =>
    asResource(check, { resource: text }),
  );
  declare(`${resource}.subresource(string): ${resource}`, (check: Check, text) =>
    asResource(check, { subresource: text }),
  );
  declare(`${resource}.namespace(string): ${resource}`, (check: Check, text) =>
    asResource(check, { namespace: text }),
  );
  declare(`${resource}.name(string): ${resource}`, (check: Check, text) => asResource(check, { name: text }));
  declare(`${resource}.check(string): ${decision}`, (check: Check, verb) => check.decide(verb));
  declare(`${path}.check(string): ${decision}`, (check: Check, verb) => check.decide(verb));
  declare(`${decision}.allowed(): bool`, ({ isAllowed }: Decision) => isAllowed);
  declare(`${decision}.errored(): bool`, () => false);
  declare(`${decision}.error(): string`, () => "");
  declare(`${decision}.reason(): string`, ({ why }: Decision) => why);
}
