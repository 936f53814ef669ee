import type { ServiceSurroundings } from "@capstan/planning";

type Env = Readonly<Record<string, string | undefined>>;

/** Where AWS, Google and its emulators look for who asks. */
const ofIdentities = /^(AWS|GOOGLE|GCE|GCLOUD|PUBSUB)_/;
/** What Go's clients never ask a proxy for. */
const own = ["localhost", "127.0.0.1", "::1"];

/** What services of notifications take from the process, as Argo CD's controller does: its identity and its proxies. */
export function serviceSurroundings(env: Env): Pick<ServiceSurroundings, "environment" | "proxy"> {
  const environment = Object.fromEntries(Object.entries(env).filter(([name]) => ofIdentities.test(name)));
  const [plain, tls, except] = ["http_proxy", "https_proxy", "no_proxy"].map(
    (name) => env[name.toUpperCase()] || env[name] || undefined,
  );
  if (plain === undefined && tls === undefined) return { environment };
  const no_proxy = [...own, ...(except === undefined ? [] : [except])].join(",");
  const proxy = {
    ...(plain === undefined ? {} : { http_proxy: plain }),
    ...(tls === undefined ? {} : { https_proxy: tls }),
    no_proxy,
  };
  return { environment, proxy };
}
