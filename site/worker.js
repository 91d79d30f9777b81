// Answers requests off the page's thread. The first message is the compiled module.

import { load } from "./checker.js";

let checker;

self.onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) {
    checker = load(data);
    return;
  }
  const { id, request } = data;
  try {
    const answer = (await checker)(request);
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
