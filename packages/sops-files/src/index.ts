export type { KeyServices } from "./data-key.ts";
export { decryptFile } from "./decrypt-file.ts";
export { type Format, formatOf, looksEncrypted } from "./encrypted-file.ts";
export { keyServices } from "./keys/key-services.ts";
