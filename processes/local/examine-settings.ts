import { isRecord } from "@capstan/formats";
import { readSettings, secretTexts } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import type { Finding } from "./examine.ts";
import type { Examined } from "./examine-cluster.ts";

/** Of settings that cannot be read, so many are told one by one. */
const mostProblems = 20;

/** Secrets without which a Pod of a part does not start: the token by which the parts know the repo server. */
export async function mounted(
  { kube, namespace: name, signal }: Examined,
  own: readonly Manifest[],
): Promise<Finding[]> {
  const names = new Set(own.flatMap(mountedSecrets));
  const found: Finding[] = [];
  for (const one of names) {
    const what = "token";
    const secret = await kube.get({ apiVersion: "v1", kind: "Secret", namespace: name, name: one }, signal);
    const todo = `kubectl create secret generic -n ${name} ${one} --from-literal=token="$(openssl rand -base64 32)"`;
    if (secret === undefined) found.push({ state: "fails", what, found: `Secret ${one} is not there`, todo });
    else if (!secretTexts(secret).token)
      found.push({
        state: "fails",
        what,
        found: `Secret ${one} has no key token`,
        todo: `delete it, then ${todo}`,
      });
    else found.push({ state: "ok", what, found: `Secret ${one}` });
  }
  return found;
}

function mountedSecrets({ spec }: Manifest): string[] {
  const pod =
    isRecord(spec) && isRecord(spec.template) && isRecord(spec.template.spec) ? spec.template.spec : {};
  const volumes = Array.isArray(pod.volumes) ? pod.volumes.filter(isRecord) : [];
  return volumes.flatMap(({ secret }) =>
    isRecord(secret) && secret.optional !== true && typeof secret.secretName === "string"
      ? [secret.secretName]
      : [],
  );
}

/** What the server makes at its start where it lacks, and what of the settings cannot be read. No value is told. */
export async function settings(
  { kube, namespace: name, signal }: Examined,
  isInstalled: boolean,
): Promise<Finding[]> {
  const what = "settings";
  const of = async (kind: string) =>
    (await kube.list({ apiVersion: "v1", kind, namespace: name }, signal)).items;
  const [maps, secrets] = [await of("ConfigMap"), await of("Secret")];
  const has = (list: readonly Manifest[], wanted: string) =>
    list.find(({ metadata }) => metadata.name === wanted);
  const absent = [
    ...["argocd-cm", "argocd-rbac-cm"].filter((one) => !has(maps, one)).map((one) => `ConfigMap ${one}`),
    ...["argocd-secret"].filter((one) => !has(secrets, one)).map((one) => `Secret ${one}`),
  ];
  const secret = has(secrets, "argocd-secret");
  if (secret && !secretTexts(secret)["server.secretkey"])
    absent.push("key server.secretkey of Secret argocd-secret");
  const found: Finding[] = absent.map((one) => ({
    ...{ state: "lacks", what, found: `${one} is not there` },
    todo: isInstalled
      ? `the server makes it when it starts: kubectl rollout restart -n ${name} deployment/capstan-server`
      : "the server makes it when it starts",
  }));
  const { problems } = readSettings(maps, secrets);
  for (const { where, field, problem } of problems.slice(0, mostProblems))
    found.push({
      state: "lacks",
      what,
      found: `${where}, ${field}: ${problem}`,
      todo: "mend it, or take the key out",
    });
  if (problems.length > mostProblems)
    found.push({
      state: "lacks",
      what,
      found: `${problems.length - mostProblems} more`,
      todo: "capstan admin settings validate --load-cluster-settings lists all",
    });
  return found.length > 0 ? found : [{ state: "ok", what, found: "are there, and can be read" }];
}
