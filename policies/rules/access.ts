// Defines the rules for calls that are not authenticated or not authorised, and recognises a CLI's prompts for a sign-in.

import { near, REFUSED, type RuleRow } from './rule.ts';

/** Pages and codes with which a user confirms a sign-in elsewhere. */
const CODES = [
  String.raw`\b(?:enter|type|paste|copy|input) (?:the |your |this |in )*(?:one-time |authori[sz]ation |authentication |auth |verification |device |login |sign-in |user |pairing )?code\b`,
  String.raw`\bone-time code\b`,
  String.raw`\/login\/device\b|\/devicelogin\b|\/device\/?(?:code|activate|login)?\b[^\n]{0,60}\bcode\b|\bdevice (?:code|authori[sz]ation)\b[^\n]{0,40}(?:[:]|https?:)`,
  String.raw`请[^\n]{0,20}(?:访问|打开)[^\n]{0,200}(?:授权|登录|认证)|(?:输入|粘贴)[^\n]{0,12}(?:授权码|验证码|设备码)`,
].join('|');

const PAGES = [
  String.raw`\b(?:visit|open|go to|navigate to|browse to|follow) (?:the |this |that )?(?:following )?(?:url|link|address|page|site)\b[^\n]{0,80}\b(?:authori[sz]\w+|authenticat\w+|log ?in|sign ?in|browser)`,
  String.raw`\bto (?:authenticate|authori[sz]e|sign in|log in|continue signing in)\b[^\n]{0,40}\b(?:visit|open|go to|navigate to|use a web browser|follow)\b`,
  String.raw`\bopening (?:the |your |an? )?(?:authentication|authori[sz]ation|login|sign-?in) (?:page|url|link)\b|\b(?:attempting|trying) to open (?:the |your )?(?:authentication|authori[sz]ation|login|sign-?in) (?:page|url|link)\b`,
  String.raw`\bbrowser (?:did(?: not|n.t)|does(?: not|n.t)) open\b|\bopening (?:your |the |a )?(?:default )?browser\b[^\n]{0,40}\b(?:authenticat\w+|authori[sz]\w+|log ?in|sign ?in)`,
  String.raw`\bwaiting for (?:(?:you|the user) to (?:sign|log) ?in|(?:browser |user |device )?(?:authori[sz]ation|authentication|auth|sign-?in|login)\b(?! (?:server|service|header|token|provider)))`,
].join('|');

/** A question, and the form of its answer. */
const QUESTIONS = [
  String.raw`\b(?:select|choose|pick) (?:a |an |your |the )?(?:login|sign-?in|authentication|auth) (?:method|option|provider)\b|\bhow would you like to (?:authenticate|log in|sign in)\b`,
  String.raw`\bpress (?:enter|return|any key) to (?:open|continue|log ?in|sign ?in|authenticate)\b[^\n]{0,60}\b(?:browser|log ?in|sign ?in|authenticat\w+)`,
  String.raw`\b(?:enter|paste|type|provide) (?:your |an? |the )?(?:[\w-]+ ){0,2}(?:api[- ]key|token|password|passcode|passphrase|username|e-?mail(?: address)?)\b[^\n.]{0,40}[:?>]\s*$`,
  // Alone on its line: within a sentence, these words are not a question.
  String.raw`^[ \t>?*!-]{0,8}(?:(?:your|the) )?(?:passphrase|password|passcode|otp|(?:verification|authentication|authori[sz]ation|security|one-time|two-factor|2fa|mfa|otp|device|login|sign-in) code)(?: for [^\n:]{1,100})?[ \t]{0,3}[:>?][ \t]{0,8}$`,
  String.raw`\b(?:log|sign) in (?:now|to continue)\?|\bdo you want to (?:log|sign) in\b`,
  String.raw`\bunlock (?:your |the )?(?:login |default )?(?:keychain|keyring)\b`,
  String.raw`\b(?:keychain|keyring|credential (?:store|manager)|plain ?text)\b[^\n]{0,100}\?\s{0,2}[([](?:y(?:es)?\/n(?:o)?)[)\]]`,
].join('|');

const SIGN_IN_PROMPT = new RegExp(`${CODES}|${PAGES}|${QUESTIONS}`, 'im');

/** Whether this line prompts the user to sign in to the CLI. Prompts of an MCP server do not count. */
export const asksToSignIn = (line: string): boolean =>
  line.length <= LONGEST && !/\bMCP\b/i.test(line) && SIGN_IN_PROMPT.test(line);

/** A question to a user is short. */
const LONGEST = 2000;

export const ACCESS_RULES = [
  {
    id: 'access-region',
    status: [...REFUSED, 451],
    text: /\blocation is not supported|\brestricted region|\b(?:country|region|territory)\b.{0,40}\bnot (?:supported|available|allowed)|not (?:currently )?(?:available|supported) in your\s+(?:country|region|location)|\bfrom (?:an? )?(?:unsupported|restricted) (?:countr(?:y|ies)|regions?|territor(?:y|ies)|locations?)\b|unsupported_country/i,
    class: 'auth',
    reason: 'region_unsupported',
    proof: [
      { message: 'Country, region, or territory not supported', status: 403 },
      { message: 'Access to models is not allowed from unsupported countries or regions.', status: 400 },
    ],
  },
  {
    id: 'access-proxy',
    status: ['none', 403],
    text: /\bproxy\b.{0,30}\b(?:authori[sz]ation|authentication)\b.{0,12}\brequired|\bproxy response \(?40[37]\b|\baccess control configuration prevents your request\b|<(?:title|h1)>[^<]{0,80}\b(?:zscaler|netskope|forcepoint|fortigate|fortiguard|blue ?coat|websense|umbrella|web gateway)\b/i,
    class: 'auth',
    reason: 'proxy_auth',
    proof: [
      { message: 'client error (Connect): tunnel error: proxy authorization required' },
      { message: '<html><head><title>Zscaler: Access denied</title></head></html>', status: 403 },
    ],
  },
  {
    // The page of a hotel, a campus or a company, which answers in place of the service. An exit code alone may mean 511 too.
    id: 'access-network',
    status: [511],
    text: /\bnetwork\b|\bportal\b|\b(?:log|sign)[ -]?(?:in|on)\b|\bauthenticat/i,
    class: 'auth',
    reason: 'proxy_auth',
    proof: [{ message: '511 Network Authentication Required', status: 511 }],
  },
  {
    // Such a page with a status of success, which the CLI cannot read as an answer.
    id: 'access-portal',
    status: ['none', 200],
    needs: ['<title>'],
    text: /<title>[^<]{0,80}\b(?:(?:log|sign)[ -]?(?:in|on)|authentication required|captive portal)\b/i,
    class: 'auth',
    reason: 'proxy_auth',
    proof: [{ message: '<!DOCTYPE html><html><head><title>Sign in to your account</title></head></html>' }],
  },
  {
    id: 'access-key-code',
    code: [
      'invalid_api_key',
      'API_KEY_INVALID',
      'API_KEY_SERVICE_BLOCKED',
      'API_KEY_REVOKED',
      'api_key_deleted',
      'api_key_disabled',
    ],
    class: 'auth',
    reason: 'bad_key',
    proof: [{ message: 'Incorrect API key provided', status: 401, code: 'invalid_api_key' }],
  },
  {
    id: 'access-key',
    status: REFUSED,
    text: /\b(?:invalid|wrong) subscription key\b|\bapi[ _-]?key\b.{0,30}\b(?:not valid|invalid|expired|missing|not found|revoked|leaked|required|not set|deactivated|disabled|deleted|blocked)|\bkey has been (?:disabled|revoked|deleted|deactivated)\b|\b(?:incorrect|invalid|expired|missing|wrong|revoked|no)\b (?:x-)?api[ _-]?key|missing environment variable|\b(?:specify|set|setting) the \w*(?:KEY|TOKEN)\b|\b\w+_(?:KEY|TOKEN)\b.{0,40}\b(?:not (?:set|found|provided|defined)|missing|required)/i,
    class: 'auth',
    reason: 'bad_key',
    proof: [{ message: 'Missing environment variable: `TEST_API_KEY`.' }],
  },
  {
    id: 'access-closed',
    status: REFUSED,
    text: near(
      'accounts?|organi[sz]ation|workspace|consumer|project',
      'suspended|deactivated|disabled|terminated|banned|restricted',
    ),
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'The account has been deactivated.', status: 401, code: 'UNAUTHENTICATED' }],
  },
  {
    // Some services report a refusal by plan as a limit. A real limit has matched before.
    id: 'access-plan',
    status: [429],
    needs: ['plan', 'subscription', 'package', 'fair us', 'restricted access'],
    text: /\b(?:plan|subscription|package)\b[^.\n]{0,30}\b(?:(?:does not|doesn.t)(?: yet| currently)? include\b(?![^.\n]{0,40}\b(?:many|concurren\w*|rates?|parallel|requests)\b)|has expired\b)|\bfair us(?:e|age) policy\b.{0,200}\b(?:restore access|blocked|suspended)\b|\brestricted access due to\b/i,
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'Your current subscription plan does not yet include access to m', status: 429 }],
  },
  {
    // A relay reports the refusal of the service behind it as its own failure.
    id: 'access-relayed',
    status: ['5xx'],
    needs: ['ed to perform'],
    text: /\bnot authori[sz]ed to perform\b/i,
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'The IAM user or role is not authorized to perform the required actions', status: 500 }],
  },
  {
    id: 'access-suspicious',
    status: REFUSED,
    needs: ['suspicious', 'unusual', 'fraud'],
    text: /\b(?:suspicious|unusual|fraudulent) (?:activity|activities|behaviou?r|usage|traffic|log-?ins?|sign-?ins?|requests?)\b/i,
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: "This user's access to m has been temporarily limited for potentially suspicious activity." }],
  },
  {
    id: 'access-token-code',
    code: [
      'UNAUTHENTICATED',
      'ACCESS_TOKEN_EXPIRED',
      'ACCESS_TOKEN_TYPE_UNSUPPORTED',
      'CREDENTIALS_MISSING',
      'authentication_error',
      'authentication',
      'invalid_authentication',
      'invalid_grant',
      'invalid_client',
      'deleted_client',
      'disabled_client',
      'unauthorized_client',
      'invalid_scope',
      'token_expired',
      'token_revoked',
      'token_invalidated',
      'unauthorized',
      'FatalAuthenticationError',
    ],
    class: 'auth',
    reason: 'bad_credentials',
    proof: [{ message: 'Request had invalid authentication credentials', status: 401, code: 'UNAUTHENTICATED' }],
  },
  {
    // Google closed the sign-in of this client for personal accounts (2026-06-18); keys and licences still work.
    id: 'access-client-retired',
    tool: 'gemini',
    text: /\bUNSUPPORTED_CLIENT\b/,
    class: 'auth',
    reason: 'client_retired',
    proof: [{ message: 'IneligibleTierError: UNSUPPORTED_CLIENT', type: 'IneligibleTierError' }],
  },
  {
    id: 'access-code',
    code: [
      'PERMISSION_DENIED',
      'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      'CONSUMER_SUSPENDED',
      'CONSUMER_INVALID',
      'SERVICE_DISABLED',
      'VALIDATION_REQUIRED',
      'ValidationRequiredError',
      'IneligibleTierError',
      'permission_error',
      'account_deactivated',
      'access_denied',
      'authorization',
      'policy',
    ],
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'The caller does not have permission', status: 403, code: 'PERMISSION_DENIED' }],
  },
  {
    id: 'access-refresh',
    status: REFUSED,
    text: /\b(?:refresh|access) token\b.{0,60}\b(?:already (?:been )?used|revoked|expired|refreshed)\b/i,
    class: 'auth',
    reason: 'bad_credentials',
    proof: [
      {
        message:
          'Your access token could not be refreshed because your refresh token has expired. Please sign in again.',
      },
    ],
  },
  {
    id: 'access-sign-in',
    status: REFUSED,
    text: /\bnot (?:logged|signed) in\b|\b(?:log|sign)(?:ged|ging|ing)? in(?:to)? again|\bplease (?:log|sign) ?in\b|\b(?:login|sign-in|authentication) (?:is )?required|\bre-?authenticate|\bcodex login\b|\bauth login\b|['`/]login\b|without authentication|not created with authentication|default credentials\b|\bcould not (?:load|resolve) (?:\w+ ){0,2}credentials\b|\bcloud_credential_error\b|\bno auth\b|set an auth method|invalid auth method|no (?:authentication|credentials)\b.{0,20}\b(?:found|provided|configured|available)|authentication information/i,
    class: 'auth',
    reason: 'not_signed_in',
    proof: [
      { message: 'You are not logged in. Run `copilot` and use /login.' },
      // claude, before each retry of a call to Bedrock, Vertex AI or Foundry; at the end it names the cloud.
      { message: 'cloud_credential_error', code: 'cloud_credential_error' },
      { message: 'API Error: Could not load Google Cloud credentials' },
    ],
  },
  {
    id: 'access-prompt',
    status: ['none'],
    text: SIGN_IN_PROMPT,
    class: 'auth',
    reason: 'not_signed_in',
    proof: [{ message: 'To authenticate, visit https://github.com/login/device and enter code ABCD-1234.' }],
  },
  {
    id: 'access-token',
    status: REFUSED,
    text: /\b(?:token|credentials?|session)\b.{0,40}\b(?:expired|revoked|invalid|rejected|could not be (?:validated(?![\s\S]{0,300}\b(?:rate limit|fetch failed|time(?:d )?out|E[A-Z]{5,}))|refreshed))|\b(?:invalid|expired|revoked|bad|missing)\b (?:\w+ )?(?:token|credentials?)\b(?! count)|\bfailed to refresh (?:\w+ )?token|authentication (?:failed|error)|\bfailed to (?:log|sign) ?in\b(?![\s\S]{0,400}\b(?:fetch failed|certificate|proxy|time(?:d )?out|rate limit|unavailable|E(?:CONN|TIMEDOUT|NOTFOUND|AI_)\w*)\b)|\binsufficient\b.{0,20}\b(?:scopes?|permissions?|privileges)|\binvalid_grant\b/i,
    class: 'auth',
    reason: 'bad_credentials',
    proof: [
      { message: 'Authentication token found but could not be validated.' },
      { message: 'Failed to login. Message: Request contains an invalid argument.' },
    ],
  },
  {
    id: 'access-denied',
    status: REFUSED,
    text: /\bnot (?:authori[sz]ed|licensed|entitled|permitted) to\b|\b400 operation not allowed\b|\b(?:login|access) is restricted to\b|\bverify your account\b|\bpolicy enablement\b|\bcheck (?:the|your) polic|\bno longer supported for\b.{0,40}\b(?:individuals|accounts?|tier|plan)|\btokens?\b.{0,40}\b(?:are|is) not supported\b|\blacks? the required (?:\w{3,6} )?(?:permission|scope|role|privilege|entitlement|data action)s?\b(?! (?:field|param|propert|argument))|\bno access to\b|\baccess denied by (?:policy|your organi[sz]ation)|\bdo(?:es)? not have (?:access to|permission to use|the \S+ permission|Copilot)/i,
    class: 'auth',
    reason: 'not_authorised',
    proof: [
      { message: 'You are not licensed to use Copilot.' },
      // Bedrock, for an account that may not call the model.
      { message: 'API Error (m): 400 Operation not allowed', status: 400 },
    ],
  },
  {
    id: 'access-words',
    status: ['none'],
    text: /\bunauthenticated\b|\bunauthori[sz]ed\b|\bforbidden\b/i,
    class: 'auth',
    reason: 'not_authorised',
    proof: [{ message: 'Forbidden' }],
  },
] as const satisfies readonly RuleRow[];
