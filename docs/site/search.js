// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search takes "-word" for pages without a word, so that a query of a flag, such as --explain, found nothing. This takes the
// hyphens off the words of a query, which goes to a worker as the text of a message.
const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message && typeof message.data === "string")
    message = { ...message, data: message.data.replace(/(^|\s)-+(?=\w)/g, "$1") };
  return send.call(this, message, ...rest);
};
