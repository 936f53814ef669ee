/** What programs need to find each other, to print text and to tell the time. */
const general = /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|HOSTNAME|LOGNAME|USER|SHELL)$/;
/** How programs reach the network, and whom they believe there. */
const ofNetwork =
  /^((HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy|(NIX_)?SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CA(INFO|PATH)|AWS_CA_BUNDLE|PIP_CERT)$/;
const ownOfCapstan = /^(CAPSTAN_|NODE_COMPILE_CACHE$)/;

export interface EnvironmentRules {
  /** `spec.environment`: names, `*` at the end of one for all that begin so. */
  readonly environment?: readonly string[] | undefined;
  /** The server's environment was made for its plugins, as in a sidecar: all of it but what is Capstan's own. */
  readonly whole: boolean;
  readonly network: boolean;
}

/** Of the server's environment what commands of a plugin get: never what is Capstan's own unless its file names it. */
export function commandEnvironment(
  env: Readonly<Record<string, string>>,
  { environment = [], whole, network }: EnvironmentRules,
): Record<string, string> {
  const isNamed = (name: string) =>
    environment.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
  const isGiven = (name: string) =>
    general.test(name) || (network && ofNetwork.test(name)) || (whole && !ownOfCapstan.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isGiven(name) || isNamed(name)));
}

/** Files and folders that the variables name: of no use where they cannot be seen. */
export function pathsNamedBy(env: Readonly<Record<string, string>>): string[] {
  const others = Object.entries(env).filter(([name]) => !/^(PATH|PWD|OLDPWD|HOME|TMPDIR|SHELL)$/.test(name));
  return others.flatMap(([, value]) => value.split(":")).filter((value) => /^\/[^/]/.test(value));
}
