/** The part of a pino logger that this package writes to. */
export interface KubeLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
