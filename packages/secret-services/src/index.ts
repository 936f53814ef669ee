export {
  type AwsCredentials,
  assumeAwsRole,
  awsErrorType,
  awsProblem,
  callAws,
  readAwsCredentials,
} from "./aws-call.ts";
export { readAzureToken } from "./azure-token.ts";
export { callJson, callStore, type JsonAnswer } from "./call-json.ts";
export { readGoogleToken } from "./google-token.ts";
export { shortToken, type Token, TokenCache, usedUntil } from "./token-cache.ts";
export { connectVault, isRefusedByPolicy, vaultPath, vaultProblem } from "./vault-connection.ts";
