/** What a program needs before it knows what it is to do: all nouns are sixty files more to load. */
export { CapstanError, isCapstanError, messageOf } from "./failures/capstan-error.ts";
export { defaultSecretStores, readSecretStores } from "./project/secret-stores.ts";
export { withoutUserinfos } from "./repository/repository-address.ts";
