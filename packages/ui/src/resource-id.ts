/** One object as the page addresses it; the version is what it was last seen in and no part of its identity. */
export interface ResourceId {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly uid: string;
}

interface Named {
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly uid?: string | undefined;
}

export function resourceId({
  group = "",
  kind = "",
  namespace = "",
  name = "",
  version = "",
  uid = "",
}: Named): ResourceId {
  return { group, kind, namespace, name, version, uid };
}

/** As it stands in an address: `apps/Deployment/default/web`. */
export function resourceKey({ group = "", kind = "", namespace = "", name = "" }: Named): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** What `resourceKey` was made of. Neither part holds a slash. */
export function readResourceKey(key: string): {
  group: string;
  kind: string;
  namespace: string;
  name: string;
} {
  const [group = "", kind = "", namespace = "", ...name] = key.split("/");
  return { group, kind, namespace, name: name.join("/") };
}

/** As people say it: "Deployment web". */
export function resourceTitle({ kind = "", name = "" }: Named): string {
  return `${kind} ${name}`;
}
