___TERMS_OF_SERVICE___

By creating or modifying this file you agree to Google Tag Manager's Community
Template Gallery Developer Terms of Service available at
https://developers.google.com/tag-manager/gallery-tos (or such other URL as
Google may provide), as modified from time to time.


___INFO___

{
  "type": "TAG",
  "id": "cvt_temp_public_id",
  "version": 1,
  "securityGroups": [],
  "displayName": "Consent Service",
  "categories": [
    "TAG_MANAGEMENT",
    "PERSONALIZATION"
  ],
  "brand": {
    "id": "brand_dummy",
    "displayName": "Consent Service"
  },
  "description": "Sets the default of Google Consent Mode v2, loads the consent banner, and passes each choice to Tag Manager.",
  "containerContexts": [
    "WEB"
  ]
}


___TEMPLATE_PARAMETERS___

[
  {
    "type": "TEXT",
    "name": "loaderUrl",
    "displayName": "Address of the loader",
    "simpleValueType": true,
    "help": "The address in the script tag that the page Install of your project shows. It ends in /loader.js.",
    "valueValidators": [
      {
        "type": "NON_EMPTY"
      },
      {
        "type": "REGEX",
        "args": [
          "^https://[^?#]+/loader\\.js$"
        ],
        "errorMessage": "Enter an https address that ends in /loader.js."
      }
    ]
  },
  {
    "type": "CHECKBOX",
    "name": "urlPassthrough",
    "checkboxText": "Pass ad clicks through addresses (url_passthrough)",
    "simpleValueType": true,
    "defaultValue": false,
    "help": "While ad_storage is denied, Google adds ad clicks to the addresses of links."
  },
  {
    "type": "CHECKBOX",
    "name": "adsDataRedaction",
    "checkboxText": "Redact ad data (ads_data_redaction)",
    "simpleValueType": true,
    "defaultValue": false,
    "help": "While ad_storage is denied, Google's ad requests carry less data."
  }
]


___SANDBOXED_JS_FOR_WEB_TEMPLATE___

const gtagSet = require('gtagSet');
const injectScript = require('injectScript');
const setDefaultConsentState = require('setDefaultConsentState');
const setInWindow = require('setInWindow');
const updateConsentState = require('updateConsentState');

// How long Google's tags wait for a first update.
const WAIT_FOR_UPDATE_MS = 500;

// What each category of the banner grants. Tag Manager must learn it from here, not by gtag: commands of the data layer
// may be processed after the next tags have run.
const states = (categories) => ({
  ad_storage: categories.marketing,
  ad_user_data: categories.marketing,
  ad_personalization: categories.marketing,
  analytics_storage: categories.analytics,
  functionality_storage: categories.preferences,
  personalization_storage: categories.preferences,
});

const defaults = states({ analytics: 'denied', marketing: 'denied', preferences: 'denied' });
defaults.wait_for_update = WAIT_FOR_UPDATE_MS;
setDefaultConsentState(defaults);
if (data.urlPassthrough) gtagSet('url_passthrough', true);
if (data.adsDataRedaction) gtagSet('ads_data_redaction', true);

// The banner calls it with each choice where the signal "Data layer" is on.
setInWindow('serviceConsentTagManager', (categories) => updateConsentState(states(categories)), true);

injectScript(data.loaderUrl, data.gtmOnSuccess, data.gtmOnFailure, 'serviceConsentLoader');


___WEB_PERMISSIONS___

[
  {
    "instance": {
      "key": {
        "publicId": "access_consent",
        "versionId": "1"
      },
      "param": [
        {
          "key": "consentTypes",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "ad_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "ad_user_data"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "ad_personalization"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "analytics_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "functionality_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "consentType"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "personalization_storage"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  },
  {
    "instance": {
      "key": {
        "publicId": "access_globals",
        "versionId": "1"
      },
      "param": [
        {
          "key": "keys",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  {
                    "type": 1,
                    "string": "key"
                  },
                  {
                    "type": 1,
                    "string": "read"
                  },
                  {
                    "type": 1,
                    "string": "write"
                  },
                  {
                    "type": 1,
                    "string": "execute"
                  }
                ],
                "mapValue": [
                  {
                    "type": 1,
                    "string": "serviceConsentTagManager"
                  },
                  {
                    "type": 8,
                    "boolean": false
                  },
                  {
                    "type": 8,
                    "boolean": true
                  },
                  {
                    "type": 8,
                    "boolean": false
                  }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  },
  {
    "instance": {
      "key": {
        "publicId": "inject_script",
        "versionId": "1"
      },
      "param": [
        {
          "key": "urls",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 1,
                "string": "https://*/*"
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  },
  {
    "instance": {
      "key": {
        "publicId": "write_data_layer",
        "versionId": "1"
      },
      "param": [
        {
          "key": "keyPatterns",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 1,
                "string": "url_passthrough"
              },
              {
                "type": 1,
                "string": "ads_data_redaction"
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": {
      "isEditedByUser": true
    },
    "isRequired": true
  }
]


___TESTS___

scenarios:
- name: Denies everything before it loads the script
  code: |-
    const events = [];
    mock('setDefaultConsentState', (state) => events.push(state));
    mock('injectScript', (url, success) => {
      events.push(url);
      success();
    });
    runCode(mockData);
    assertThat(events).isEqualTo([{
      ad_storage: 'denied',
      ad_user_data: 'denied',
      ad_personalization: 'denied',
      analytics_storage: 'denied',
      functionality_storage: 'denied',
      personalization_storage: 'denied',
      wait_for_update: 500,
    }, mockData.loaderUrl]);
    assertApi('gtmOnSuccess').wasCalled();
    assertApi('gtagSet').wasNotCalled();
- name: Passes a choice to Tag Manager
  code: |-
    let callback;
    mock('setInWindow', (name, value) => {
      if (name === 'serviceConsentTagManager') callback = value;
    });
    runCode(mockData);
    assertApi('updateConsentState').wasNotCalled();
    callback({ analytics: 'granted', marketing: 'denied', preferences: 'granted' });
    assertApi('updateConsentState').wasCalledWith({
      ad_storage: 'denied',
      ad_user_data: 'denied',
      ad_personalization: 'denied',
      analytics_storage: 'granted',
      functionality_storage: 'granted',
      personalization_storage: 'granted',
    });
- name: Sets the options of Google that are on
  code: |-
    mockData.urlPassthrough = true;
    mockData.adsDataRedaction = true;
    runCode(mockData);
    assertApi('gtagSet').wasCalledWith('url_passthrough', true);
    assertApi('gtagSet').wasCalledWith('ads_data_redaction', true);
- name: Fails where the script cannot be loaded
  code: |-
    mock('injectScript', (url, success, failure) => failure());
    runCode(mockData);
    assertApi('gtmOnFailure').wasCalled();
    assertApi('gtmOnSuccess').wasNotCalled();
setup: |-
  const mockData = {
    loaderUrl: 'https://consent.example.com/cdn/018f0000-0000-7000-8000-000000000000/loader.js',
    urlPassthrough: false,
    adsDataRedaction: false
  };


___NOTES___

Trigger: Consent Initialization - All Pages. Turn on the signal "Data layer" in the banner editor. See docs/signals.md of
the service. Narrow the permission "Injects scripts" to the host of your loader.
