"""What pages say in English when they are no longer what they were; ``phrases_abroad`` has the other languages.

For each kind: words that must occur for the patterns to be tried at all (searching is the cost), patterns that count
in a title or heading only, and patterns that count anywhere. All are matched against lower-case text.
"""

import re
from collections.abc import Mapping

from afresh.base.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words of one kind in one language, or in the languages of one script."""

    triggers: str  # words one of which must occur; empty: the script must
    titles: tuple[str, ...]
    texts: tuple[str, ...]
    script: str = ""  # a name of ``scripts.SCRIPTS``: languages whose words are not told by spaces, or inflected
    languages: frozenset[str] = frozenset()  # of pages that say theirs: searched whatever words they have


#: Hosts of services that fill parked domains, and the addresses their links have.
PARKING_HOSTS = re.compile(
    r"sedo(?:parking)?\.com|parkingcrew|bodis\.com|dan\.com|afternic|hugedomains|above\.com|parklogic|domainmarket"
    r"|buydomains|undeveloped\.com|godaddy\.com/(?:forsale|domain)|namebright|[?&](?:kw|keyword|query|term"
    r"|pk)=[^&]+&?"
)

PHRASES: Mapping[str, Phrases] = {
    "soft_404": Phrases(
        "404 410 found find exist exists existed missing removed unavailable available deleted expired broken gone "
        "oops "
        "sorry nothing lost looking requested moved renamed withdrawn retired mistyped misspelled locate cannot "
        "followed taken isn't doesn't aren't wasn't "
        "dead filled closed ended discontinued archived vacancy withdrawn uploader unpublished "
        "oups hoppla huch hoppsan oeps jejda hups ups ops упс ой",
        (
            r"\b(?:error|code|status)?\s*40[4]\b|\b4 0 4\b",
            r"\b410\b.*gone",
            r"^(?:oops|whoops|uh[ -]oh|page lost)|^lost(?=[?!.…]|$|\s[|:·–—-])|^\w+ not found\b",
            r"^(?:oups|hoppla|huch|hoppsan|oeps|jejda|hups|упс)\b|^(?:ups|ops|ой)(?=\s?[!,.…])",  # in any language
            r"nothing (?:was |to be )?(?:found|here|to see)|dead (?:end|link)|broken link|wrong turn|we(?:'ve)? lost "
            r"(?:that|this)",
            r"(?:^|[|:·–—-]\s?)(?:not found|error)(?:$|\s?[|:·–—-])|\bpage (?:error|gone|lost|unavailable)",
            r"(?:^|[|:·–—-]\s?)(?:this |the )?(?:page|video|article|item|product|listing|post|content|document|file"
            r"|job|ad|offer"
            r"|event|profile|topic|account|user)s? (?:is |are |has been |was )?(?:(?:no longer |not |un)available"
            r"|removed|deleted"
            r"|expired|withdrawn|archived|gone)(?:$|\s?[|:·–—-])",
        ),
        (
            r"(?:page|document|file|article|url|address|link|content|resource|item|post|listing|product|entry|job|event"
            r"|profile|object|story|video|topic|site)s?\b[^.!?]{0,60}?"
            r"(?:(?:could|can|was|were|is|are|did|does|do|has|have)\s?(?:n[o']t|not| no longer)|cannot|can't|no longer"
            r"|never|isn't|wasn't|doesn't)"
            r"\s+(?:be |been |longer |seem to |appear to |currently )?(?:found|exists?|available|here|located|displayed"
            r"|on this|active|part of|listed)",
            r"(?:page|document|file|article|entry|content|listing|post|directory|resource|object) (?:not found|missing"
            r"|unavailable|(?:was|has|is|may have|might have)\b[^.!?]{0,30}?(?:been )?(?:removed|deleted|moved|expired"
            r"|gone|withdrawn|retired|renamed|taken down|unpublished|discontinued))|\bgone missing\b",
            r"(?:can(?:no|')?t|could(?:n't| not)|unable to|can ?not|failed to|not able to) (?:seem to )?(?:find"
            r"|locate)\b[^.!?]{0,40}"
            r"(?:page|document|file|article|url|content|looking|requested|that|it|what|this|anything)\b",
            r"no (?:such )?(?:page|document|article|results?|file)\b[^.!?]{0,30}(?:found|here|address|exists)"
            r"|no input file specified",
            r"nothing (?:was )?found|there is nothing (?:here|at this|to see)|no longer exists|404 error|error 404"
            r"|http 404|(?:does not|doesn't) exist",
            r"(?:page|link|url|address|content|resource|file)s? (?:that )?you(?:'re| are|'ve| have)? (?:were "
            r")?(?:looking for"
            r"|request(?:ed|ing)|tried|trying|followed|clicked|entered)",
            r"(?:requested|following) (?:url|page|address|resource|file|document)\b[^.!?]{0,80}(?:not|no longer"
            r"|cannot)",
            r"(?:link|address|url)\b[^.!?]{0,50}(?:out of date|outdated|broken|incorrect|mis-?typed|misspelled|expired)"
            r"|mis-?typed the (?:address|url)|typing (?:mistake|error)|check the (?:url|address|spelling|link)",
            r"^cannot get /\S*|\bcannot get /\S*$",
            r"(?:position|vacancy|job|role|listing|auction|offer|ad|advert|advertisement|campaign|survey"
            r"|poll)\b[^.!?]{0,40}"
            r"(?:has been filled|been (?:filled|closed|taken)|has (?:ended|closed|expired)|is (?:now )?closed"
            r"|no longer (?:open|active|accepting|live|running))",
            r"(?:item|product|article|model|title|recipe|course|video|photo|picture|song|track|recording|post|user"
            r"|account|page"
            r"|story)\b[^.!?]{0,50}(?:(?:is|are|was)(?:n't| not) in (?:our|the)|(?:has|have) been (?:discontinued"
            r"|archived"
            r"|withdrawn|taken down|removed|deleted)|(?:no longer|not) (?:stocked|sold|in (?:our|the) "
            r"(?:catalog(?:ue)?|range"
            r"|shop|store|archive|collection)))",
            r"followed an? (?:\w+ )?(?:wrong|bad|broken|dead|old|outdated|invalid|expired) (?:or \w+ )?link",
        ),
    ),
    "parked": Phrases(
        "domain domains domainname parked parking sale buy broker purchase inquire offer expired registered registrar "
        "auction instalments installments lease yours registration reserved courtesy sponsored searches price escrow "
        "web-hosting backorder renew",
        (
            r"domains?\b.*(?:for sale|parked|parking|available|expired|registered|reserved)",
            r"\b(?:buy|get|own) (?:this|the) (?:domain|name)",
            r"parked domain|domain parking|premium (?:domain|name)s?",
            r"\.[a-z]{2,10} (?:has|is) expired|\.[a-z]{2,10}\b[^.]{0,20}(?:is|may be)? ?for sale|registered (?:at"
            r"|with|by)\b",
        ),
        (
            r"(?:domain|domain name|website|web ?site|web address|name|[\w-]+\.[a-z]{2,10})\b[^.!?]{0,60}(?:(?:is"
            r"|may be"
            r"|might be|are|could be)\s+(?:now |currently |also )?"
            r"(?:for sale|available for (?:sale|purchase)|listed for sale|parked|up for (?:auction|sale)|on the "
            r"market))",
            r"\bis registered, but may (?:still )?be available|our brokers? (?:will|can)\b",
            r"(?:buy|purchase|acquire|own|get|make an offer (?:on|for)|inquire about|bid on|interested in|want|rent"
            r"|backorder|renew) (?:buying )?(?:this|the|your) (?:premium )?(?:domain|web address)",
            r"\bdomain\b[^.!?]{0,40}(?:has expired|expired on|has been parked|(?:was|has been|is|been) (?:recently "
            r"|newly "
            r"|already )?(?:registered|reserved|purchased|expired)|pending (?:renewal|deletion)|not (?:yet )?(?:been )?"
            r"(?:configured|connected|pointed))",
            r"(?:this (?:web ?)?(?:page|domain|site) is (?:provided courtesy|parked)|related (?:searches"
            r"|links)[^.]{0,80}sponsored)|parked (?:free|for free|page|by|with|at|on|courtesy)|courtesy of\b",
            r"sponsored (?:listings|links|results)|related searches|top searches|popular (?:searches|categories)",
            r"(?:reserved|registered|secured|claimed)\b[^.!?]{0,40}(?:web address|domain|this name|internet address)",
            r"\bcan be yours\b|(?:monthly|easy) (?:payments|instal+ments)|lease to own|make (?:an |your )?offer\b"
            r"|(?:asking|buy[- ]?now|starting|minimum) (?:price|offer|bid)|escrow",
            r"domain (?:owner|broker|name registration|registrar|marketplace|experts)|owner of (?:this|the) domain",
        ),
    ),
    "login_wall": Phrases(
        "login log logged sign signed signin subscribe subscriber subscribers subscription members member account "
        "password register restricted authentication authorization premium reading limit articles",
        (
            r"(?:^|\s[|:·–—-]\s?)(?:log ?[io]n|sign ?[io]n|login required|member login|user login|authentication)\b",
            r"(?:log|sign) ?in (?:required|to )|(?:members?|subscribers?)(?: only|' area| area)|subscribe to (?:read"
            r"|continue)",
        ),
        (
            r"(?:please |you (?:must|need to|have to) )(?:first )?(?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|on)",
            r"(?:log|sign) (?:in|on) (?:to|or (?:register|subscribe|create|sign up)[^.!?]{0,30}to|with your|using "
            r"your)",
            r"you (?:need|must have|require) (?:an account|a subscription|to be (?:a )?(?:member|subscriber"
            r"|registered))",
            r"(?:already|not yet|no) (?:a (?:subscriber|member)|have an account|account\?)|create (?:an|your|a free) "
            r"account"
            r"|(?:can't|cannot) access your account|keep me (?:logged|signed) in|remember me",
            r"(?:only|reserved|exclusive(?:ly)?)\b[^.!?]{0,30}(?:for )?(?:our )?(?:subscribers|registered users"
            r"|members)",
            r"(?:subscribe|subscription)\b[^.!?]{0,40}(?:to (?:continue|read|keep reading|unlock)|required|unlimited"
            r"|full access)",
            r"access to this (?:page|content|area|resource)[^.!?]{0,40}(?:restricted|requires|limited)",
            r"forgot(?:ten)? (?:your |my )?(?:password|username)|(?:lost|reset) (?:your )?password",
            r"to (?:continue|keep|go on) reading\b[^.!?]{0,60}|(?:continue|keep) reading (?:for|with|from) "
            r"[^.!?]{0,40}",
            r"(?:unlock|continue reading|rest of) (?:this|the|with)[^.!?]{0,60}(?:subscri|account|free trial|sign"
            r"|article)"
            r"|you(?:'ve| have) (?:reached|read|used)\b[^.!?]{0,40}(?:free|limit|articles)",
        ),
    ),
    "consent_wall": Phrases(
        "cookies cookie consent privacy accept agree partners companies vendors choice choices device age older",
        (
            r"before you continue",
            r"^(?:cookie|privacy|consent)[\w ]{0,20}(?:settings|consent|choices)",
            r"(?:we (?:value|care about|respect) )?your (?:privacy|data|choices?|cookie)\b|your privacy",
            r"age (?:verification|check|gate)|are you (?:over )?\d\d|cookie wall",
        ),
        (
            r"(?:accept|agree to|consent to)\b[^.!?]{0,60}(?:cookies|terms)\b[^.!?]{0,40}(?:to (?:continue|proceed"
            r"|access|enter|read)|before)",
            r"before (?:you |we )?(?:continue|can continue|proceed|entering)\b[^.!?]{0,60}(?:cookies|consent|privacy"
            r"|choose|accept)",
            r"(?:we|our partners|and our \d+ partners)\b[^.!?]{0,60}(?:store and/or access|need your (?:consent"
            r"|permission|agreement))",
            r"(?:we|us)\b[^.!?]{0,40}(?:and|&) (?:our )?(?:\d+ |selected |third[- ]party )?(?:partners|companies"
            r"|vendors)"
            r"\b[^.!?]{0,60}(?:store|access|process|keep|use|place)|(?:accept|allow|agree to) all\b|reject all\b"
            r"|manage "
            r"(?:options|preferences|choices)",
            r"(?:you must be|are you|i am) (?:at least |over )?\d\d (?:years|or older)|confirm (?:that you are|your "
            r"age)",
        ),
    ),
    "captcha": Phrases(
        "captcha human humans robot robots bot bots sure browser verify verifying checking cloudflare unusual traffic "
        "javascript blocked moment security automated automation denied person challenge wait ddos region country "
        "location vpn legal 451",
        (
            r"just a moment",
            r"attention required",
            r"are you (?:a )?(?:human|robot)",
            r"(?:security|human|bot) (?:check|verification)",
            r"access (?:denied|to this page)|one (?:more|last) step|pardon our interruption|ddos|please wait|^captcha"
            r"|robot or human|checking (?:your browser|the site|if the)|you(?:'ve| have) been blocked|request "
            r"(?:blocked|rejected)",
        ),
        (
            r"(?:verify|confirm|prove|checking|mak(?:e|ing) sure|show|ensure|determine"
            r"|whether)\b[^.!?]{0,40}(?:you(?:'re| are)"
            r" (?:a |an? actual |not a |indeed )?(?:human|robot|bot|person)|real (?:person|user|visitor)|human)",
            r"checking (?:your browser|if the site connection is secure)|unusual traffic|automated (?:requests"
            r"|queries|access)",
            r"(?:complete|solve)\b[^.!?]{0,30}(?:captcha|puzzle|challenge)|enable javascript and cookies to continue",
            r"(?:performing|performance) (?:&|and)? ?(?:a )?security (?:check|verification|by)|your (?:ip"
            r"|access|request)\b[^.!?]{0,40}(?:blocked|denied)|access (?:to this page )?(?:has been |is )?denied",
            r"automation tools?|(?:please )?(?:enable|switch on|turn on) (?:javascript|cookies)|ddos protection"
            r"|(?:javascript|cookies)\b[^.!?]{0,40}(?:must be|is|are|not) (?:enabled|switched on|turned on|required"
            r"|disabled)",
            r"(?:not|n't|un)\s?(?:be )?(?:available|accessible|permitted|supported|viewed|watched)\b[^.!?]{0,30}\b"
            r"(?:in|from|for|to) your (?:current )?(?:country|region|location|area)|(?:unavailable|not available) "
            r"(?:due to|for) legal reasons",
            r"(?:access\w*|visit\w*|brows\w*|connect\w*)\b[^.!?]{0,40} from (?:a|your|this) (?:country|region)\b"
            r"|(?:using|use|detected) a vpn",
            r"(?:ray|incident|reference|request) ?(?:id|no|number|#)?[:#]? ?#?[0-9a-f.-]{10,}|needs to review the "
            r"security",
        ),
    ),
    "maintenance": Phrases(
        "maintenance back soon shortly upgrading upgrade unavailable temporarily offline moments downtime later "
        "technical busy overloaded again",
        (
            r"maintenance",
            r"be (?:right )?back|(?:temporarily|currently|site) (?:down|offline|unavailable|closed)|\btoo busy\b",
        ),
        (
            r"(?:down|closed|offline|undergoing|unavailable|under|performing|scheduled"
            r"|routine)\b[^.!?]{0,40}maintenance",
            r"(?:we'll|we will|will) be (?:right )?back (?:soon|shortly|online|up)|(?:check|come|try) back (?:soon"
            r"|later|shortly)",
            r"temporarily (?:unavailable|offline|down|out of service|closed)|technical difficulties|(?:scheduled"
            r"|planned) "
            r"(?:downtime|outage|upgrade)",
            r"(?:server|site|system|service|we|database)\b[^.!?]{0,30}(?:too busy|overloaded|over capacity)|too many "
            r"(?:users|visitors|people)\b|(?:try|reload|refresh)\w* (?:it |the page )?(?:again )?(?:later|shortly|in a "
            r"(?:few|moment|minute|while)|in (?:some|several) minutes)",
            r"(?:upgrading|updating|improving|working on) (?:our|the|this) (?:site|website|system|servers?|service)"
            r"|(?:sorry for|apologi[sz]e for) (?:the|any) inconvenience",
        ),
    ),
    "suspended": Phrases(
        "suspended disabled deactivated terminated account hosting bandwidth billing unpaid locked offline quota "
        "violating violation switched webmaster owner",
        (
            r"(?:account|site|website|page)\b.*(?:suspended|disabled|deactivated)",
            r"^suspended|(?:account|hosting)\b.*\b(?:locked|suspended|closed|expired)",
            r"bandwidth limit exceeded|^509\b",
        ),
        (
            r"(?:account|site|website|web site|web page|hosting|service|page|space)\b[^.!?]{0,60}(?:has been|have "
            r"been|is|was|been)\s+"
            r"(?:temporarily |currently )?(?:suspended|disabled|deactivated|terminated|locked|taken offline)",
            r"(?:contact|call) (?:your|the) (?:hosting provider|host|billing|web host)[^.!?]{0,60}",
            r"bandwidth (?:limit )?(?:has been )?exceeded|resource limit is reached|quota (?:has been )?exceeded",
            r"(?:services?|website|site|account)\b[^.!?]{0,40}(?:switched off|shut down|taken (?:offline|down)"
            r"|cancell?ed"
            r"|blocked)|violat(?:ing|ion of) (?:our|the) terms|if you are the (?:owner|webmaster|site owner)"
            r"|are you the owner",
        ),
    ),
    "directory_listing": Phrases(
        "index parent directory listing verzeichnis",
        (r"^index of /", r"directory listing for", r"^verzeichnis "),
        (r"index of /[\w./-]*\s+(?:name|\[ico\])|parent directory", r"name\s+last modified\s+size"),
    ),
    "error_dump": Phrases(
        "error errors exception fatal traceback warning notice deprecated undefined stack mysql mysqli sql database "
        "syntax uncaught line server internal gateway unreachable panic failed wrong sqlstate[hy000 odbc status 500 "
        "502 "
        "503 504 520 521 522 523 application upstream unhandled critical django whitelabel werkzeug",
        (
            r"internal server error|database error|runtime error|server error|application error|unhandled "
            r"exception|service unavailable|http status 5\d\d|(?:^|[|:·–—-]\s?|\b(?:error|http|status|code)[ :#]*)"
            r"50[0234]\b",  # not of a thing that has such a number
            r"bad gateway|gateway time-?out|fatal error|error establishing|error 52\d|web server is down",
            r"\w+(?:error|exception) at /|something went wrong|exception report",
        ),
        (
            r"(?:fatal error|parse error|syntax error|warning|notice|deprecated)\s?:[^!?]{0,300}?\bon line \d+",
            r"call to (?:a member|undefined)|failed opening required|failed to open stream|undefined (?:index|variable"
            r"|offset|array key|function|property)|allowed memory size|maximum execution time|headers already sent",
            r"(?:fatal|parse|syntax) error\b[^.]{0,200}\bon line \d+|uncaught (?:exception|error|typeerror|pdoexception"
            r"|mysqli_sql_exception|\w+exception)|stack trace:",
            r"traceback \(most recent call last\)|you have an error in your sql syntax|error establishing a database "
            r"connection|access denied for user '|can't connect to (?:local )?mysql|mysqli?_\w+\(\)|too many "
            r"connections",
            r"(?:an? )?application error occurred|server error in '|custom ?errors|whitelabel error page|werkzeug "
            r"debugger|(?:exception|request) (?:type|method|url): |django version|because you have debug = true"
            r"|econnrefused",
            r"unhandled exception|nullpointerexception|\bat [\w.$]+\([\w.]+\.java:\d+\)|sqlstate\[|ora-\d{5}|\[odbc"
            r"|microsoft ole db|adodb\.|system\.web\.|\[sqlexception|description: an unhandled",
            r"internal server error\b[^.!?]{0,80}|the server encountered an (?:internal|unexpected|error)"
            r"|unexpected error\b|there has been a critical error",
            r"(?:type|reference|syntax|range|runtime|name|attribute|key|import|value)error: |panic: |segmentation fault"
            r"|goroutine \d+|actioncontroller::|activerecord::|nomethoderror|zend_|template does not exist",
            r"(?:50[0234]|52[0-9]) (?:bad gateway|service (?:temporarily )?unavailable|gateway time-?out|internal "
            r"server"
            r"|web server|origin|connection)|no healthy upstream|upstream connect error|backend fetch failed"
            r"|error (?:code|id|reference)?:? ?(?:5\d\d|1000|1016)\b|application error: a (?:client|server)-side",
        ),
    ),
    "placeholder": Phrases(
        "coming soon construction works welcome nginx apache default placeholder launching launch hosting created "
        "installed upload webspace iis plesk cpanel litespeed tomcat openresty caddy wordpress test apache2 lighttpd",
        (
            r"coming soon",
            r"under construction",
            r"^it works",
            r"welcome to nginx",
            r"(?:apache|iis|centos|ubuntu|fedora|debian|nginx|lighttpd|server|domain|web ?site)\b.*default (?:web "
            r"?(?:site )?)?page"
            r"|default (?:web ?site |parking )?page|^iis(?: windows(?: server)?|\d)?$|^apache tomcat",
            r"welcome to (?:openresty|caddy|litespeed|tengine|tomcat|centos|lighttpd|your new (?:web ?)?site)"
            r"|test page for the|http server test page|^just another wordpress site$",
        ),
        (
            r"(?:website|site|page|something (?:new|great|awesome))\b[^.!?]{0,30}(?:coming soon|under construction"
            r"|launching soon)",
            r"if you see this page, the nginx|apache2? (?:\w+ )?default page|this is the default (?:web )?page"
            r"|(?:web server|apache|iis)\b[^.!?]{0,40}(?:is (?:running|working)|successfully installed)|launching soon",
            r"welcome to wordpress\. this is your first post|page (?:is|was) generated by (?:plesk|cpanel|ispconfig"
            r"|directadmin)"
            r"|web server's default page|default welcome page|(?:used to )?test the (?:correct|proper) operation of",
            r"(?:ip address has changed|server misconfiguration|site may have moved to a different server)",
            r"future home of|this (?:site|domain|web ?space) (?:has just been|was just|is being) (?:created"
            r"|registered|set up)"
            r"|upload your (?:files|website|web ?site)|no (?:website|content|site) (?:has been |is )?(?:uploaded"
            r"|configured"
            r"|published)|website is (?:not )?(?:yet )?(?:almost |nearly )?(?:ready|online|published)",
        ),
    ),
    "spam": Phrases(
        "casino casinos slot slots betting poker viagra cialis levitra payday loans escort escorts judi togel gacor "
        "jackpot "
        "replica porn sex bonus maxwin sportsbook roulette blackjack pharmacy "
        "crypto essay forex rolex spins",
        (
            r"\bonline casinos?|casinos? (?:online|bonus|bonuses|sites?|games)|slot gacor|slots? (?:online|bonus)"
            r"|togel|judi"
            r"|(?:sports? ?betting|betting) (?:sites?|bonus|odds|tips)|(?:buy|cheap|generic|order)\b[^"
            r"|]{0,20}(?:viagra|cialis"
            r"|levitra)|payday loans?|escorts? (?:service|girls|agency|in)|replica (?:watch|rolex|bags?)|no deposit"
            r"|free spins",
        ),
        (
            r"(?:online casinos?|slot (?:gacor|online)|judi (?:online|bola)|togel|bandar|sports ?betting|free "
            r"spins|no deposit bonus|maxwin)",
            r"(?:buy|cheap|order|generic) (?:\w+ )?(?:viagra|cialis|levitra|xanax|tramadol)|payday loans?|replica "
            r"watches"
            r"|fake rolex|escort (?:service|girls)",
            r"(?:bonus (?:codes?|new member)|(?:welcome|casino|deposit) bonus(?:es)?\b|for real money|betting "
            r"(?:sites?|odds|bonus)"
            r"|(?:best|top|trusted) (?:online )?(?:casinos?|bookmakers?|betting))",
            r"without (?:a )?prescription|(?:canadian|online) pharmacy|discreet (?:packaging|shipping)",
        ),
    ),
}

#: What keeps somebody from reading on, whatever else the page is called and says.
HELD_BACK = re.compile(
    r"(?:continue|keep|go on) reading|read (?:on|the rest)|unlock|free (?:articles|limit|stories)|subscribers? only"
    r"|weiterlesen"
    r"|(?:vollständig|ganzen artikel) lesen|abonnent|lire la suite|réservé aux abonnés|abonnés|seguir leyendo"
    r"|suscript|assinant"
    r"|continuar lendo|abbonat|continua a leggere|lees verder|abonnees|läsa vidare|læs videre|les videre|czytać "
    r"dalej|subskryb"
    r"|подписчик|читать дальше|続きを読む|有料|订阅|付费|訂閱|付費|구독"
)

#: What many pages say of logins that stand before none: how to get a new password, who may come to a meeting.
OFFERED = re.compile(
    r"forgot(?:ten)?\b|(?:lost|reset)\b[^.!?]{0,20}password|remember me|keep me (?:logged|signed)|create (?:an|your"
    r"|a free) account"
    r"|(?:already|no|have an?) account|members?(?:' area| area| only)|(?:only|reserved"
    r"|exclusive(?:ly)?)\b[^.!?]{0,40}members"
)
