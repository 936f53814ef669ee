import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringifyJson, withoutEndSlashes } from "@capstan/formats";
import { isCapstanError } from "@capstan/model";
import type { ChartLogin, Stage } from "@capstan/plugin-kit";
import { keptScript, quoteForShell, toolFolder } from "@capstan/programs";

interface Login extends ChartLogin {
  url: string;
}

type LoginStage = Pick<Stage, "chartLogin" | "workspace" | "env">;

const maxAddresses = 200;
const variable = "CAPSTAN_HELM_LOGINS";

/**
 * A helmfile may leave out TLS's checks (`insecure`, `skipTLSVerify`, `plainHttp`), but not for a login of
 * Capstan's, unless the operator's repository leaves them out too.
 *
 * helm is given what the logins say of an address, unless it is told a login already. It forgets that a repository's
 * certificate need not be verified when it downloads a chart (helm pkg/downloader ChartDownloader.ResolveChartVersion).
 */
const script = (helm: string) => [
  "input=",
  "open=",
  'case " $* " in *" --insecure-skip-tls-verify"* | *" --plain-http"*) open=yes HELM_REGISTRY_CONFIG=/dev/null ;; esac',
  'case " $* " in',
  '  *" --username "* | *" --cert-file "*) ;;',
  `  *) . "$${variable}/logins.sh" ;;`,
  "esac",
  'case "$1" in template) chart=$3 ;; pull | fetch | show) chart=$2 ;; *) chart= ;; esac',
  `if [ -e "$${variable}/unverified-\${chart%%/*}" ]; then set -- "$@" --insecure-skip-tls-verify; fi`,
  `if [ -n "$input" ]; then exec ${helm} "$@" < "$input"; fi`,
  `exec ${helm} "$@"`,
];

/**
 * A helm for helmfile that Capstan's logins let into the repositories named in `texts`. They stand in files of the
 * render, never among arguments, and a login of the helmfile's own goes before them. Nothing where there are none.
 */
export async function helmWithLogins(
  helm: string,
  texts: readonly string[],
  stage: LoginStage,
): Promise<Record<string, string> | undefined> {
  const logins = await findLogins(texts, stage);
  if (logins.length === 0) return undefined;
  const { scratch } = await stage.workspace();
  const folder = join(scratch, "logins");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const cases: string[] = [];
  for (const [at, login] of logins.entries()) cases.push(...(await casesOf(login, String(at), write)));
  await write("logins.sh", ['case "$1 $2 $4" in', ...cases, "esac", ""].join("\n"));
  const lines = script(quoteForShell(helm));
  const program = await keptScript(toolFolder(stage.env), "helm-for-helmfile", lines);
  return {
    HELMFILE_HELM_BINARY: program,
    HELM_REGISTRY_CONFIG: await write("registry.json", registryConfig(logins)),
    [variable]: folder,
  };
}

async function findLogins(texts: readonly string[], stage: LoginStage): Promise<Login[]> {
  const addresses = [...new Set(texts.flatMap(addressesIn))].slice(0, maxAddresses);
  const logins: Login[] = [];
  for (const url of addresses) {
    const login = await stage.chartLogin(url).catch((error: unknown): ChartLogin => {
      // It is then asked as anybody would ask.
      if (isCapstanError(error, "SOURCE_FORBIDDEN")) return {};
      throw error;
    });
    if (login.password !== undefined || login.tlsClientCertData !== undefined || login.insecure)
      logins.push({ ...login, url });
  }
  return logins;
}

/** URLs, and addresses of registries, which a helmfile gives without a scheme; none with a login of its own. */
function addressesIn(text: string): string[] {
  const urls = text.matchAll(/\b(?:https?|oci):\/\/[^\s"'{}<>|\\,\]]+/g);
  const registries = text.matchAll(/\burl:\s*["']?(?!\w+:\/\/)([\w.-]+(?::\d+)?(?:\/[^\s"'{},\]]*)?)/g);
  const found = [...[...urls].map(([url]) => url), ...[...registries].map(([, rest]) => `oci://${rest}`)];
  return found.filter((url) => !url.includes("@"));
}

/** What a shell that is about to run helm adds to its arguments. */
async function casesOf(
  login: Login,
  name: string,
  write: (name: string, content: string) => Promise<string>,
): Promise<string[]> {
  const { username = "", password, tlsClientCertData: certificate, tlsClientCertKey: key } = login;
  const url = withoutEndSlashes(login.url);
  const isOci = /^oci:/i.test(url);
  const flags: string[] = [];
  if (certificate !== undefined && key !== undefined)
    flags.push(
      "--cert-file",
      await write(`${name}.crt`, certificate),
      "--key-file",
      await write(`${name}.key`, key),
    );
  if (login.insecure) flags.push("--insecure-skip-tls-verify");
  if (isOci && login.insecureOciForceHttp) flags.push("--plain-http");
  const takesPassword = !isOci && password !== undefined;
  if (takesPassword) flags.push("--username", username, "--password-stdin");
  if (flags.length === 0 && password === undefined) return [];
  const when = isOci
    ? `${quoteForShell(`pull ${url}`)}[/\\ ]*`
    : `${quoteForShell(`repo add ${url}`)} | ${quoteForShell(`repo add ${url}/`)}`;
  const input = takesPassword ? [`  input=${quoteForShell(await write(name, `${password}\n`))}`] : [];
  const unverified = !isOci && login.insecure ? [`  : > "$${variable}/unverified-$3"`] : [];
  const isOpen = login.insecure || (isOci && login.insecureOciForceHttp);
  const bound = isOpen
    ? [`  HELM_REGISTRY_CONFIG="$${variable}/registry.json"`]
    : [`  if [ -n "$open" ]; then echo ${quoteForShell(openLogin(url))} >&2; exit 1; fi`];
  const given = flags.length === 0 ? [] : [`  set -- "$@" ${flags.map(quoteForShell).join(" ")}`];
  return [`${when})`, ...bound, ...given, ...input, ...unverified, "  ;;"];
}

function openLogin(url: string): string {
  return `${url} has a login in Capstan, which is not sent over a connection that nobody checks: remove insecure, skipTLSVerify or plainHttp from the helmfile, or let the operator set it on the repository in Capstan`;
}

/** As docker writes it; helm knows one login for all of a registry. */
function registryConfig(logins: readonly Login[]): string {
  const auths: Record<string, { auth: string }> = {};
  for (const { url, username = "", password } of logins) {
    const host = /^oci:\/\/([^/]+)/i.exec(url)?.[1];
    if (host === undefined || password === undefined) continue;
    auths[host] ??= { auth: Buffer.from(`${username}:${password}`).toString("base64") };
  }
  return stringifyJson({ auths });
}
