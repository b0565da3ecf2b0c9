import { loaderScript } from './page';
import { ownGlobal } from './own-global';
import { pristineDocument } from './pristine-document';

interface Policy {
  createScript(text: string): string;
  createScriptURL(url: string): string;
}

let policy: Policy | undefined;

/** A script that runs when it is added to the page; `address` and `text` come from the page itself or from us. */
export const trustedScript = (address: string | undefined, text: string): HTMLScriptElement => {
  const same = (given: string): string => given;
  const rules = { createScript: same, createScriptURL: same };
  const types = ownGlobal('trustedTypes') as
    { createPolicy(name: string, rules: Policy): Policy } | undefined;
  policy ??= types ? types.createPolicy(CONSENT_GLOBAL, rules) : rules;
  const script = pristineDocument('createElement')('script');
  script.nonce = loaderScript.nonce;
  script.async = false;
  if (address) script.src = policy.createScriptURL(address);
  else script.text = policy.createScript(text);
  return script;
};
