import { type TechniqueGroup, text } from './technique.js';

const SCRIPT = 'device.example';

/** Calls that can identify a device, all by a script of another site. */
export const FINGERPRINTS: TechniqueGroup = {
  path: '/fingerprints',
  techniques: [
    {
      name: 'Canvas fingerprinting',
      found: 'call, with the script',
      html: ({ https }) => `<script src="${https(SCRIPT, '/device.js')}"></script>`,
      truth: ({ host }) => [
        {
          kind: 'fingerprint',
          name: 'canvas.toDataURL',
          host: host(SCRIPT),
          type: 'canvas',
          initiator: `${host(SCRIPT)}/device.js`,
        },
        { kind: 'fingerprint', name: 'canvas.getImageData', host: host(SCRIPT), type: 'canvas' },
      ],
    },
    {
      name: 'Audio fingerprinting',
      found: 'call, with the script',
      html: () => '',
      truth: ({ host }) => [
        {
          kind: 'fingerprint',
          name: 'OfflineAudioContext.startRendering',
          host: host(SCRIPT),
          type: 'audio',
          initiator: `${host(SCRIPT)}/device.js`,
        },
      ],
    },
    {
      name: 'WebRTC fingerprinting',
      found: 'call, with the script',
      html: () => '',
      truth: ({ host }) => [
        {
          kind: 'fingerprint',
          name: 'RTCPeerConnection.createOffer',
          host: host(SCRIPT),
          type: 'webrtc',
          initiator: `${host(SCRIPT)}/device.js`,
        },
      ],
    },
    {
      name: 'Canvas fingerprinting by `OffscreenCanvas`',
      found: 'call, with the script',
      html: () => '',
      truth: ({ host }) => [
        {
          kind: 'fingerprint',
          name: 'OffscreenCanvas.convertToBlob',
          host: host(SCRIPT),
          type: 'canvas',
          initiator: `${host(SCRIPT)}/device.js`,
        },
        {
          kind: 'fingerprint',
          name: 'OffscreenCanvas.getImageData',
          host: host(SCRIPT),
          type: 'canvas',
          initiator: `${host(SCRIPT)}/device.js`,
        },
      ],
    },
    {
      name: 'Name of the graphics chip (WebGL)',
      found: 'call, with the script',
      html: () => '',
      truth: ({ host }) => [
        {
          kind: 'fingerprint',
          name: 'WebGL.getParameter',
          host: host(SCRIPT),
          type: 'webgl',
          initiator: `${host(SCRIPT)}/device.js`,
        },
      ],
    },
    {
      name: 'Client hints (`getHighEntropyValues`)',
      found: 'call, with the script',
      html: () => '',
      truth: ({ host }) => [
        {
          kind: 'fingerprint',
          name: 'NavigatorUAData.getHighEntropyValues',
          host: host(SCRIPT),
          type: 'client_hints',
          initiator: `${host(SCRIPT)}/device.js`,
        },
      ],
    },
    {
      name: 'Consent mode and events of the data layer',
      found: 'events in their order',
      html: () =>
        `<script>
          window.dataLayer = [];
          function gtag() { dataLayer.push(arguments); }
          gtag('consent', 'default', { analytics_storage: 'denied' });
          gtag('event', 'page_view');
          dataLayer.push({ event: 'shown' });
        </script>`,
      truth: ({ host }) => [
        {
          kind: 'consent_event',
          name: 'consent default',
          host: host('www.farm.example'),
          order: 1,
          consent: { analytics_storage: 'denied' },
        },
        { kind: 'consent_event', name: 'page_view', host: host('www.farm.example'), order: 2 },
        { kind: 'consent_event', name: 'shown', host: host('www.farm.example'), order: 3 },
      ],
    },
  ],
  routes: {
    '/device.js': (_request, response) =>
      text(
        response,
        'text/javascript',
        `
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('2d');
        context.fillText('device', 10, 10);
        canvas.toDataURL();
        context.getImageData(0, 0, 50, 50);
        const offscreen = new OffscreenCanvas(200, 50);
        const text = offscreen.getContext('2d');
        text.fillText('device', 10, 10);
        text.getImageData(0, 0, 50, 50);
        offscreen.convertToBlob();
        const graphics = document.createElement('canvas').getContext('webgl');
        graphics.getParameter(graphics.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL);
        navigator.userAgentData.getHighEntropyValues(['model']);
        new OfflineAudioContext(1, 4096, 44100).startRendering();
        const peer = new RTCPeerConnection();
        peer.createDataChannel('x');
        peer.createOffer();
        `,
      ),
  },
};
