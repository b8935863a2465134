// SPDX-License-Identifier: BSD-3-Clause
// Search without a server: where a page is a file, browsers start no worker.  The worker's script runs in a hidden frame
// then.  Only what the search of the theme asks of a worker is here.
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const own = frame.contentWindow;
      this.own = own;
      own.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      own.importScripts = (...urls) => urls.reduce((before, one) => before.then(() => load(own, one)), Promise.resolve());
      this.ready = load(own, url);
    }
    postMessage(data) {
      this.ready.then(() => this.own.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) })));
    }
    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}
function load(own, url) {
  return new Promise((done, failed) => {
    const script = own.document.createElement("script");
    Object.assign(script, { src: url, onload: done, onerror: failed });
    own.document.body.append(script);
  });
}
