type Env = Readonly<Record<string, string | undefined>>;

/** Files of the machine that hold credentials: an application may not say which to read. */
const files: ReadonlySet<string> = new Set([
  "AVP_K8S_TOKEN_PATH",
  "AVP_KEEPER_CONFIG_PATH",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AZURE_FEDERATED_TOKEN_FILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "VAULT_CACERT",
  "VAULT_CLIENT_CERT",
  "VAULT_CLIENT_KEY",
]);

/** How far a store is trusted: only who names the store may say. */
const trust: ReadonlySet<string> = new Set(["VAULT_SKIP_VERIFY", "VAULT_TLS_SERVER_NAME"]);

/**
 * The settings of argocd-vault-plugin by name, with its precedence (pkg/config/config.go): what the application sets
 * (ARGOCD_ENV_ taken off) before what the process has. Where the application names another store, no credential of
 * the process goes there: that would hand the operator's token to whoever may write an Application.
 */
export class Settings {
  readonly #application: Env;
  readonly #process: Env;
  /** Addresses that the application sets, and the process not so. */
  readonly #foreign: readonly string[];

  constructor(application: Env, process: Env) {
    this.#application = application;
    this.#process = process;
    this.#foreign = Object.keys(application).filter(
      (name) => isAddress(name) && Boolean(application[name]) && application[name] !== process[name],
    );
  }

  /** Without anything that the application sets. */
  get process(): Env {
    return this.#process;
  }

  get(name: string): string | undefined {
    const own = this.#application[name];
    if (own && files.has(name))
      throw new Error(`${name} names a file of the server, so an application cannot set it`);
    if (own && trust.has(name) && this.#foreign.length === 0)
      throw new Error(`${name} is about the server's store, so an application cannot set it`);
    if (own) return own;
    const isKept = this.#foreign.length > 0 && (isCredential(name) || files.has(name));
    return (isKept ? undefined : this.#process[name]) || undefined;
  }

  /** The application's and the process's: what narrows is not overridden. */
  both(name: string): string[] {
    return [this.#application[name], this.#process[name]].flatMap((value) => (value ? [value] : []));
  }

  need(name: string): string {
    const value = this.get(name);
    if (value !== undefined) return value;
    const foreign = this.#foreign.join();
    const isKept = foreign !== "" && isCredential(name);
    throw new Error(`${name} is not set${isKept ? ` by the application, which sets ${foreign}` : ""}`);
  }

  /** Before an identity of the machine itself is used. */
  refuseForeign(identity: string): void {
    const foreign = this.#foreign.join();
    if (foreign !== "") throw new Error(`${identity} does not go where the application's ${foreign} says`);
  }
}

function isAddress(name: string): boolean {
  return /(_ADDR|_URL|_HOST|_ENDPOINT)$|ENDPOINT_URL/.test(name);
}

function isCredential(name: string): boolean {
  return /TOKEN|SECRET|PASSWORD|KEY|ROLE|USER|CREDENTIALS|CERT/.test(name) && !isAddress(name);
}
