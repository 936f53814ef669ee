type Env = Readonly<Record<string, string | undefined>>;

/** The settings of argocd-vault-plugin by name, with its precedence (pkg/config/config.go). */
export class Settings {
  readonly #application: Env;
  readonly #process: Env;

  /**
   * `application` is what the application sets (ARGOCD_ENV_ taken off). Where it names another store, no
   * credential of the process goes there: that would hand the operator's token to whoever writes an Application.
   */
  constructor(application: Env, process: Env) {
    this.#application = application;
    this.#process = process;
  }

  get(name: string): string | undefined {
    const own = this.#application[name];
    if (own) return own;
    const isForeign = isCredential(name) && addresses.some((one) => Boolean(this.#application[one]));
    return (isForeign ? undefined : this.#process[name]) || undefined;
  }

  need(name: string): string {
    const value = this.get(name);
    if (value !== undefined) return value;
    const named = addresses.filter((one) => Boolean(this.#application[one]));
    const why =
      named.length > 0 && isCredential(name) ? ` by the application, which sets ${named.join()}` : "";
    throw new Error(`${name} is not set${why}`);
  }
}

const addresses = [
  "VAULT_ADDR",
  "VAULT_AGENT_ADDR",
  "AVP_IBM_INSTANCE_URL",
  "AVP_DELINEA_URL",
  "OP_CONNECT_HOST",
];

function isCredential(name: string): boolean {
  return /TOKEN|SECRET|PASSWORD|KEY|ROLE|USER|CREDENTIALS|CERT/.test(name) && name !== "AVP_AUTH_TYPE";
}
