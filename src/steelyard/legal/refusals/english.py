"""English patterns of refusal, by strength.

Every gap is bounded and ends with the clause, so that a search is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

MOST_CUES: Final = 400
"""The maximum number of matches of one kind in an answer."""
CONFLICT_EN: Final = r"\b(?:inconsistent|contradict\w*|conflict(?:ing|s)?|discrepanc\w+|disagree)\b"
_EN: Final = r"[^.;!?\n]"
_CANNOT: Final = (
    r"(?:"
    r"cannot|can't|can not|could not|couldn't|won't|will not|would not|wouldn't|shouldn't|should not|must not|"
    r"may not|"
    r"unable to|not able to|not allowed to|"
    r"not permitted to|not authori[sz]ed to|not comfortable(?: with)?|not in a position to|not going to|"
    r"not programmed to|not equipped to|not qualified to|not capable of|incapable of|not designed to|not trained to|"
    r"not willing to|not at liberty to|decline to|declin(?:e|ing)|refuse to|"
    r"(?:do not|don't|did not|didn't) (?:feel comfortable|have the (?:ability|capability|capacity|means|authority)|"
    r"have (?:a|any) (?:way|means)|want to|wish to|engage in|support|condone|provide|offer|endorse|promote|"
    r"participate|create|generate|encourage|discuss|answer|assist|help|comment|speculate|share)"
    r")"
)
_EN_SERVE: Final = r"(?=[a-z][a-z])(?!cannot)" + (
    r"(?:"
    r"provid\w*|answer\w*|help\w*|assist\w*|fulfil\w*|giv\w+|offer\w*|comment\w*|discuss\w*|engag\w*|"
    r"generat\w*|creat\w*|writ\w+|produc\w*|shar\w+|say|tell\w*|determin\w*|confirm\w*|verif\w*|find\w*|locat\w*|"
    r"identif\w*|access\w*|brows\w*|predict\w*|speculat\w*|recommend\w*|advis\w*|support\w*|condon\w*|endors\w*|"
    r"promot\w*|participat\w*|complet\w*|compl(?:y|ying)|process\w*|continu\w*|see|perceiv\w*|count\w*|respond\w*|"
    r"address\w*|describ\w*|explain\w*|list|name|suggest\w*|disclos\w*|reveal\w*|judg\w*|assess\w*|evaluat\w*|"
    r"guess\w*|"
    r"ascertain\w*|know|be (?:certain|sure|of help|of assistance)|estimat\w*|infer\w*|conclud\w*|establish\w*|"
    r"view\w*|"
    r"open|read|search\w*|look|retriev\w*|draw|do (?:that|this|so)|express\w*|experienc\w*|feel|extract\w*|"
    r"summari[sz]e|translat\w*|interpret\w*|understand|recall|remember|recogni[sz]e|make|facilitat\w*|encourag\w*|"
    r"entertain|perform\w*|calculat\w*|comput\w*|pinpoint|specify|state|cite|quote|play|meet|certif\w*"
    r")"
)
_EN_INFORMATION: Final = (
    r"(?:"
    r"information|evidence|mention|indication|details?|data|reference|answer|testimony|records?|statement|"
    r"documentation|context|knowledge|specifics|sources?|facts|basis|clue|memory|material|description|results?|"
    r"section|provision|clause|parts?|text|passage|explanation|reports?|proof|account|guidance"
    r")"
)
_EN_STATED: Final = (
    r"(?:"
    r"stated?|mention(?:ed)?|specif(?:y|ied)|record(?:ed)?|given?|provide[d]?|disclose[d]?|indicate[d]?|"
    r"identif(?:y|ied)|known|clear|available|address(?:ed)?|discuss(?:ed)?|found|establish(?:ed)?|document(?:ed)?|"
    r"answer(?:ed)?|answerable|determine[d]?|determinable|report(?:ed)?|contain(?:ed)?|show[n]?|say|reveal(?:ed)?|"
    r"tell|include[d]?|explain(?:ed)?|set out|described?|name[d]?|detail(?:ed)?|supplied|supply|listed?|cover(?:ed)?|"
    r"confirm(?:ed)?|public(?:ly)?|announced|released|published|elaborate|offer|present(?:ed)?|certain|possible to|"
    r"readily available|refer(?:red)? to|allude to|comment on|touch on|outline[d]?|clarif(?:y|ied)|define[d]?|"
    r"enough|sufficient|suggest|reflect(?:ed)?|capture[d]?|quantif(?:y|ied)|itemi[sz]ed?|list"
    r")"
)
_EN_ADVERB: Final = (
    r"(?:(?:been|be|explicitly|specifically|directly|clearly|expressly|actually|seem to|appear to|currently|yet|"
    r"publicly|officially|definitively|reliably|otherwise|even|fully|precisely|exactly|being|further|anywhere|"
    r"widely|immediately|readily|generally|accurately|conclusively|really|ever|also|necessarily|quite|entirely|"
    r"made|at all|commonly|well|universally) ){0,3}"
)
_SPEAKER_EN: Final = (
    rf"(?:i|we)(?:'m|'ve|'ll|'d|'re)?\b{_EN}{{0,30}}?\b{_CANNOT}\b{_EN}{{0,50}}?\b{_EN_SERVE}\b"
    rf"|(?:i|we)(?:'ve)? (?:\w+ ){{0,2}}?(?:do not|don't|did not|didn't|have not|haven't|have no|had no|see no|"
    rf"found no|find no|"
    rf"lack|am not|was not|are not|never|know of no)(?: \w+){{0,2}}? ?"
    rf"(?:have|know|understand|recogni[sz]e|recall|remember|find|found|see|possess|access|sure|certain|aware|"
    rf"familiar|able|been|information|knowledge|idea|record|data|way|details|context|evidence|specific|any|enough|"
    rf"sufficient|mention|reference|the|real|personal|heard|of|clear|privy|programmed|designed|trained|equipped)\b"
    rf"|i'm (?:\w+ )?(?:not|unable|unaware|unfamiliar|unsure|uncertain)(?: \w+){{0,2}}"
    rf"|(?:beyond|outside) (?:of )?(?:my|the) {_EN}{{0,20}}?(?:scope|knowledge|capabilit\w+|abilit\w+|expertise|"
    rf"training|context|reach|text|documents?|passage|materials?|sources?)\b"
    rf"|my (?:knowledge|training|data|information)\b{_EN}{{0,40}}?\b(?:does not|doesn't|not|cut-?off|limited|only|"
    rf"up to|until)\b"
    rf"|against (?:my|our) (?:\w+ )?(?:programming|guidelines|polic\w+|principles|values)\b"
    rf"|no (?:comment|answer|idea)\b|\b(?:not|n't) something (?:that )?(?:i|we) (?:can|am|could|would)\b"
    rf"|i(?:'d| would)? (?:prefer not|rather not|choose not|opt not|must refrain|have to pass|will have to pass|"
    rf"must pass)\b"
    rf"|(?:i|i'm|we)\b{_EN}{{0,50}}?\b(?:don't|do not|doesn't|does not) have (?:\w+ )?(?:access|information|"
    rf"knowledge|data|the ability|details)\b"
    rf"|i(?:'d| would)? need (?:{_EN}{{0,60}}?)(?:to|before i can) (?:\w+ )?(?:answer|help|assist|determine|"
    rf"provide|calculate|give|perform)\b"
)
_UNABLE_EN: Final = (
    rf"(?:cannot|can't|can not|could not|couldn't|may not|not) be {_EN_ADVERB}"
    rf"(?:determined?|said|answered|told|confirmed|established|identified|"
    rf"ascertained|known|found|verified|inferred|provided|given|certain|sure|calculated|computed|deduced|derived|"
    rf"located|discerned|stated|concluded|specified|pinpointed|decided|resolved|estimated|predicted|gleaned)\b"
    rf"|(?:impossible|not possible|difficult|hard|tough|not feasible|no way|challenging|"
    rf"infeasible) (?:for \w+ )?to (?:\w+ ){{0,2}}?"
    rf"(?:say|know|tell|determine|answer|provide|give|identify|ascertain|establish|confirm|pinpoint|state|find|infer|"
    rf"verify|specify|predict|conclude|judge|pin|estimate|name|assess)\b"
    rf"|(?:(?<=^)|(?<=[.;,:!?\n])|(?<=[.;,:!?\n] )|(?<=\bbut )|(?<=\bso )|(?<=\bthus )|(?<=\band )|(?<=\bis )|"
    rf"(?<=\bwas )|(?<=\bare )|(?<=\bwere )|(?<=\btherefore ))(?:unable to|cannot|can't|could not|"
    rf"couldn't) (?:\w+ ){{0,2}}?"
    rf"(?:determine|say|answer|tell|confirm|establish|identify|ascertain|know|find|verify|infer|provide|locate|help|"
    rf"assist|give|comply|fulfil\w*|process|complete)\b"
    rf"|(?:you|one) (?:cannot|can't) (?:\w+ )?(?:tell|determine|know|infer|say)\b"
)
_SOURCE_EN: Final = (
    rf"(?:do|does|did|has|have|was|were|is|are|be|been|being|had|would|will)(?:n't| not|n't been|"
    rf" never) {_EN_ADVERB}{_EN_STATED}\b"
    rf"|(?:not|never|nowhere) {_EN_ADVERB}{_EN_STATED}\b"
    rf"|never {_EN_ADVERB}(?:identifies|mentions|states|says|specifies|names|gives|records|explains|discloses|"
    rf"addresses|provides)\b"
    rf"|no (?:(?:\w|-)+,? (?:or |and )?){{0,4}}?{_EN_INFORMATION}\b"
    rf"|(?:insufficient|inadequate|lacking|limited|incomplete|missing|not enough|without (?:more|additional|"
    rf"further|sufficient|enough|any)|lacks?|lack of|absence of|too little|"
    rf"(?:do|does|did)(?:n't| not) (?:have|contain|hold|offer)) (?:\w+ ){{0,3}}?{_EN_INFORMATION}\b"
    rf"|without (?:giving|stating|specifying|mentioning|providing|disclosing|naming|saying|identifying|indicating)\b"
    rf"|nothing {_EN}{{0,40}}?\b(?:sheds? (?:any |some )?light|tells us|helps? (?:to )?(?:answer|determine))\b"
    rf"|nothing (?:\w+ ){{0,4}}?(?:about|on|regarding|concerning)\b"
    rf"|(?:neither|none|nothing|nobody|no one|nowhere)\b{_EN}{{0,60}}?\b"
    rf"(?:mentions?|mentioned|says?|said|states?|stated|records?|specif\w+|indicates?|shows?|identif\w+|explains?|"
    rf"addresses|gives?|refers?|knows?|known|suggests?|found)\b"
    rf"|makes? no (?:mention|reference)\b|fails? to (?:say|state|mention|specify|identify|indicate|provide|address)\b"
    rf"|leaves? (?:it |this |that )?open\b|omits?\b|\b(?:is|are|was|were) (?:absent|missing) from\b"
    rf"|silent (?:on|about|as to|regarding|concerning)\b|\b(?:is|are|remains?|was|were) (?:entirely |"
    rf"completely )?silent\b"
    rf"|not (?:in|within|part of|covered by|contained in) (?:the|this|any) (?:\w+ )?(?:text|passage|document|"
    rf"context|record|contract|materials?|information|article|file)\b"
)
_NOTHING_EN: Final = (
    rf"(?:not|\w{{2,6}}n't|never)\b{_EN}{{0,40}}?\b(?:recogni[sz]ed|known|familiar|real|valid|standard|established|"
    rf"actual|legitimate|existing|common|well-known|widely|genuine|documented|official)\b"
    rf"(?: \w+){{0,3}}? ?(?:term|word|name|concept|creature|species|thing|place|person|entity|team|event|game|"
    rf"sport|location\w*|phrase|organism|animal|title|song|product|dish|character|company|book|show|language|city|"
    rf"country|technology|plant|drug|medication|food|being|organi[sz]ation|figure|individual|brand|one|to me)\b"
    rf"|(?:do|does|did)(?:n't| not) (?:look|seem|appear|sound) (?:like|that|as)\b"
    rf"|(?:do|does|did)(?:n't| not) (?:seem|appear) to (?:be (?:an?|any|the)|refer|exist|correspond|match|"
    rf"make sense|relate|belong)\b"
    rf"|(?:do|does|did)(?:n't| not) (?:appear (?:in|on|anywhere)|feature|refer to an?|correspond|ring a bell|"
    rf"make sense|have a (?:character|person|member|song|species|place)|include a (?:character|person|song))\b"
    rf"|no (?:(?:\w|-)+ )?(?:such|known|recogni[sz]ed|official|reliable|publicly available|verified|credible|"
    rf"single|exact|precise|definitive|definite|universally|widely|clear) \w+"
    rf"|no (?:\w+ ){{1,3}}?(?:called|named|known as|by (?:that|this) name|with (?:that|this) name)\b"
    rf"|(?:do|does)(?:n't| not) (?:actually |really |currently )?exist\b|non-?existent\b|\b(?:is|are|be|as|seems|"
    rf"appears) (?:\w+ )?(?:not associated with|unrelated to|not related to|not a (?:thing|real|term|word|name))\b"
    rf"|(?:seems?|appears?|may|might|could|possibly|likely|probably|sounds?)\b{_EN}{{0,16}}?\b(?:made[- ]up|"
    rf"fictional|fictitious|imaginary|nonsens\w+|hypothetical|gibberish|misspell\w*|typo)\b"
)
# as a predicate; before a noun it is content: an unknown man
_PREDICATE: Final = (
    r"(?= ?(?:$|[.,;:!?)\n])| (?:by|in|to|from|at|as|and|or|but|because|since|whether|who|what|when|where|which|"
    r"how|if|why|"
    r"for|due|about|until|with|based|on|exactly|at|so|given|despite|even|is|was)\b)"
)
_UNKNOWN_EN: Final = (
    r"(?:unclear|unanswerable|unanswered|inconclusive|illegible|unreadable|indeterminate|unavailable|"
    r"(?:is|are|was|were|been|be) (?:redacted|withheld|blacked out|obscured)|"
    r"not applicable|n/a|to be (?:determined|announced|confirmed)|tbd|tba)\b"
    rf"|(?:unknown|undetermined|unspecified|unstated|undisclosed|uncertain|unconfirmed|unidentified|"
    rf"undecided)\b{_PREDICATE}"
    r"|remains? (?:a )?(?:mystery|unsolved|debated|disputed|open)\b|no consensus\b|up for debate\b|who knows\b|"
    r"silent\b"
)
IGNORANT_EN: Final = re.compile(
    r"\b(?:do|does|did)(?:n't| not) (?:know|recall|remember)\b|\b(?:can't|cannot|could not|couldn't) (?:recall|"
    r"remember)\b"
    r"|\bforg[eo]t(?:ten|s)?\b|\bno (?:recollection|memory)\b",
    re.IGNORECASE,
)
_VAGUE_EN: Final = (
    rf"(?:could|can|would|will|might) you (?:please |kindly |possibly )?(?:provide|clarify|specify|give|elaborate|"
    rf"explain|tell|share|rephrase|confirm|check|be more|let me know|double)\b"
    rf"|please (?:\w+ )?(?:provide|clarify|specify|give|elaborate|rephrase|share|supply|tell|be more|check|"
    rf"let me know|double-check|confirm|include|ask)\b"
    rf"|(?:more|additional|further) (?:\w+ )?(?:context|information|details?|specifics|"
    rf"clarification)\b{_EN}{{0,30}}?\b(?:needed|required|necessary|helpful)\b"
    rf"|(?:question|query|request|prompt|statement|phrase|sentence|wording)\b{_EN}{{0,20}}?\b(?:too |somewhat |"
    rf"quite |rather |very |a bit |not )?(?:vague|unclear|ambiguous|broad|incomplete|general|confusing|not clear|"
    rf"makes no sense|subjective|make sense|specific enough|clear)\b"
    rf"|need (?:more|additional|further|some more) (?:\w+ )?(?:context|information|details?|specifics|"
    rf"clarification)\b"
    rf"|what (?:exactly )?do you mean\b|what (?:specifically |exactly )?(?:would you like|are you (?:looking|"
    rf"referring|asking))\b|which \w+ (?:are you|do you)\b|if you (?:can|could|would)? ?(?:please )?(?:provide|"
    rf"clarify|specify|give) (?:me )?(?:with )?(?:more|additional|further|some)\b"
)
_SELF_EN: Final = (
    rf"(?:as an?|i'm an?|i am an?|i'm just an?|i am just an?) (?:\w+ ){{0,3}}?(?:ai|a\.i\.|artificial intelligence|"
    rf"language model|assistant|machine|chatbot|computer program|bot|llm)\b{_EN}{{0,60}}?\b"
    rf"(?:don't|do not|doesn't|does not|not|no|cannot|can't|lack|without) (?:\w+ ){{0,4}}?(?:opinions?|feelings?|"
    rf"emotions?|preferences?|experiences?|beliefs?|body|consciousness|senses|eyes|favou?rites?|memor\w+|family|"
    rf"life|physical|personal|thoughts|desires)\b"
)
_SORRY_EN: Final = (
    rf"(?:sorry|apologi[sz]e|apologies|unfortunately|regret|i'm afraid|i am afraid|regrettably|"
    rf"sadly)\b(?! (?:to hear|for your|about your|that you|you're|you are))(?={_EN}{{0,80}}?(?:n't|\b(?:cannot|not|"
    rf"no|unable|outside|beyond|decline|without|lack|against|only))\b)"
)
_POLICY_EN: Final = (
    r"it(?:'s| is) (?:\w+ ){0,2}?(?:not (?:\w+ )?(?:ethical|legal|appropriate|acceptable|okay|ok|right|moral)|"
    r"illegal|unethical|immoral|inappropriate|against the law|never (?:okay|ok|acceptable|appropriate)) "
    r"(?:or \w+ |and \w+ )?to\b"
)
_CUES_EN: Final = tuple(
    re.compile(rf"\b(?=[a-z])(?P<{kind}>{pattern})", re.IGNORECASE)
    for kind, pattern in (
        ("self", _SELF_EN),
        ("speaker", _SPEAKER_EN),
        ("sorry", _SORRY_EN),
        ("vague", _VAGUE_EN),
        ("nothing", _NOTHING_EN),
        ("policy", _POLICY_EN),
        ("source", _SOURCE_EN),
        ("unable", _UNABLE_EN),
        ("unknown", _UNKNOWN_EN),
        ("ignorant", IGNORANT_EN.pattern),
        ("conflict", CONFLICT_EN),
    )
)


def cues_en(text: str) -> Iterator[re.Match[str]]:
    """Matches of English refusals, in order within each kind; at most `MOST_CUES` of a kind."""
    for pattern in _CUES_EN:
        yield from islice(pattern.finditer(text), MOST_CUES)
