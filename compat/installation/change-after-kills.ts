import { logIn, until, untilWell, type Work } from "./do-work.ts";

const applications = ["one", "two", "three", "four", "five", "six"];

const files = (value: string): Record<string, string> =>
  Object.fromEntries(
    applications.map((name) => [
      `${name}/map.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: ${value}}\n`,
    ]),
  );

/**
 * A set makes six applications, which three controllers share. Two of these, a server and a repo server end by kill -9;
 * so do the set controller and the notifier that lead. What is committed then is deployed, and a set that is made then
 * makes its application. Of six applications it would be one in 700 that none was with the two.
 */
export async function changeAfterKills(work: Work): Promise<void> {
  const { world, parts, repository } = work;
  const deployedValue = (name: string) =>
    world.kubectl(
      ...["get", "configmap", name, "-n", "default", "--ignore-not-found"],
      ...["-o", "jsonpath={.data.value}"],
    );
  await repository.commit(files("before"));
  const [first = "", second = ""] = parts.urls;
  const before = await logIn(work, first);
  await before("POST", "/api/v1/applicationsets", setOf(work, "made", applications));
  for (const name of applications) await untilWell(before, name);
  const { processes } = parts;
  for (const one of [
    ...processes.controller.slice(0, 2),
    ...["server", "repo-server", "application-set", "notifications"].flatMap(
      (part) => processes[part as keyof typeof processes][0] ?? [],
    ),
  ])
    await one.kill("SIGKILL");
  await repository.commit({
    ...files("after"),
    "seven/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seven}\ndata: {value: after}\n",
  });
  const after = await logIn(work, second);
  await after("POST", "/api/v1/applicationsets", setOf(work, "later", ["seven"]));
  for (const name of applications) await after("GET", `/api/v1/applications/${name}?refresh=normal`);
  for (const name of [...applications, "seven"])
    await until(`${name} has what was committed`, async () =>
      (await deployedValue(name)) === "after" ? true : undefined,
    );
  for (const name of [...applications, "seven"]) await untilWell(after, name);
}

function setOf({ repository }: Work, name: string, elements: readonly string[]) {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: elements.map((element) => ({ name: element })) } }],
      template: {
        metadata: { name: "{{.name}}" },
        spec: {
          project: "default",
          destination: { server: "https://kubernetes.default.svc", namespace: "default" },
          source: { repoURL: repository.url, targetRevision: "main", path: "{{.name}}" },
          syncPolicy: { automated: {} },
        },
      },
    },
  };
}
